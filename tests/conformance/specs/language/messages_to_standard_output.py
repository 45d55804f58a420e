import io
import logging
import sys

log = logging.getLogger(__name__)
log.propagate = False
log.addHandler(logging.StreamHandler(sys.stdout))
log.handlers[0].setFormatter(logging.Formatter("[%(levelname)-7s] %(name)s - %(message)s"))
log.info("nobody hears")
log.setLevel(logging.INFO)
log.info("epoch %d loss %.3f", 3, 0.12345)
sub = logging.getLogger("app.model")
app = logging.getLogger("app")
app.setLevel("DEBUG")
handler = logging.StreamHandler(sys.stdout)
handler.setFormatter(logging.Formatter("{levelname}|{message}", style="{"))
app.addHandler(handler)
app.propagate = False
sub.debug("twice? %s", [1, 2])
sub.error("values %(a)d", {"a": 5})
print(sub.getEffectiveLevel(), sub.isEnabledFor(logging.DEBUG), sub.parent is app, logging.getLevelName(20))
buffer = io.StringIO()
app.addHandler(logging.StreamHandler(buffer))
app.handlers[0].setLevel(logging.WARNING)
app.info("into the buffer")
print(repr(buffer.getvalue()))
class Kept(logging.Handler):
    def __init__(self):
        super().__init__()
        self.kept = []
    def emit(self, record):
        self.kept.append((record.levelname, self.format(record)))
kept = Kept()
log.addHandler(kept)
log.warning("100%")
print(kept.kept)
try:
    app.setLevel("LOUD")
except ValueError as e:
    print(e)

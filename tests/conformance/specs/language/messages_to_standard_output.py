import io
import logging
import sys

log = logging.getLogger(__name__)
print(log, log.name)
log.info("nobody hears")
logging.basicConfig(stream=sys.stdout, level=logging.INFO, format="[%(levelname)-7s] %(name)s - %(message)s")
log.info("epoch %d loss %.3f", 3, 0.12345)
log.debug("hidden")
logging.warning("root %s", "says")
sub = logging.getLogger("app.model")
app = logging.getLogger("app")
app.setLevel("DEBUG")
handler = logging.StreamHandler(sys.stdout)
handler.setFormatter(logging.Formatter("{levelname}|{message}", style="{"))
app.addHandler(handler)
app.propagate = False
sub.debug("twice? %s", [1, 2])
sub.error("values %(a)d", {"a": 5})
print(sub.getEffectiveLevel(), sub.isEnabledFor(logging.DEBUG), sub.parent is app, app.parent, logging.getLevelName(20))
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
logging.disable(logging.CRITICAL)
log.critical("no")
try:
    app.setLevel("LOUD")
except ValueError as e:
    print(e)

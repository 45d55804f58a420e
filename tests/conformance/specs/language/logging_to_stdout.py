# Messages that go to the standard output are part of what a program prints.
import logging
import sys

logging.basicConfig(level=logging.INFO, stream=sys.stdout, format="%(levelname)-8s %(name)s: %(message)s")
log = logging.getLogger(__name__)
log.info("epoch %d of %s", 1, "ten")
log.debug("not shown")
log.warning("loss %(loss).3f", {"loss": 0.25})
child = logging.getLogger("train.loop")
child.setLevel("ERROR")
child.info("not shown")
child.error("stopped")
own = logging.getLogger("own")
own.propagate = False
handler = logging.StreamHandler(sys.stdout)
handler.setFormatter(logging.Formatter("[{levelname}] {message}", style="{"))
own.addHandler(handler)
own.info("in its own form")
print(log.isEnabledFor(logging.DEBUG), child.getEffectiveLevel(), own.handlers == [handler], logging.getLevelName(30))
logging.disable(logging.WARNING)
log.warning("not shown")
logging.critical("by the root")

# kind: windows
# exercise: forgetful_step
# how: as windows_pending, but the thread raises the signal itself (raise_signal), and the main one has the handler run
# deserves: 3
import _thread
import gc
import signal
import sys
import threading
import time

sys.setswitchinterval(1e-6)
KEPT = []


def late(number, frame):
    KEPT.clear()


signal.signal(signal.SIGUSR2, late)


def wait():
    end = time.time() + 0.3
    while gc.isenabled() and time.time() < end:
        pass
    if not gc.isenabled():
        signal.raise_signal(signal.SIGUSR2)


def forgetful_step(x, w, log):
    y = (x @ w).tanh()
    loss = (y * y).sum()
    loss.backward()
    KEPT.append(loss)
    log.append(loss.item())
    gc.enable()
    threading.Thread(target=wait, daemon=True).start()

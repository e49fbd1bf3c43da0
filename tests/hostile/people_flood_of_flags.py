# kind: people
# exercise: leaks
# how: forty flags of no use ("replaces np.x1" of an object of its own) hide the one about numpy at the end
# needs: a list of flags has an end, and the learner's come first
# real: numpy.* was replaced|sum was replaced
import types


class np:
    class x: pass


np.x.harmless0 = 0
np.x.harmless1 = 1
np.x.harmless2 = 2
np.x.harmless3 = 3
np.x.harmless4 = 4
np.x.harmless5 = 5
np.x.harmless6 = 6
np.x.harmless7 = 7
np.x.harmless8 = 8
np.x.harmless9 = 9
np.x.harmless10 = 10
np.x.harmless11 = 11
np.x.harmless12 = 12
np.x.harmless13 = 13
np.x.harmless14 = 14
np.x.harmless15 = 15
np.x.harmless16 = 16
np.x.harmless17 = 17
np.x.harmless18 = 18
np.x.harmless19 = 19
np.x.harmless20 = 20
np.x.harmless21 = 21
np.x.harmless22 = 22
np.x.harmless23 = 23
np.x.harmless24 = 24
np.x.harmless25 = 25
np.x.harmless26 = 26
np.x.harmless27 = 27
np.x.harmless28 = 28
np.x.harmless29 = 29
np.x.harmless30 = 30
np.x.harmless31 = 31
np.x.harmless32 = 32
np.x.harmless33 = 33
np.x.harmless34 = 34
np.x.harmless35 = 35
np.x.harmless36 = 36
np.x.harmless37 = 37
np.x.harmless38 = 38
np.x.harmless39 = 39
np.x.harmless40 = 40
np.x.harmless41 = 41
np.x.harmless42 = 42
np.x.harmless43 = 43
np.x.harmless44 = 44
CALLS = [0]
vars(__import__("numpy"))["sum"] = lambda *a, **k: 0


def leaks(loop):
    CALLS[0] += 1
    return CALLS[0] <= 6

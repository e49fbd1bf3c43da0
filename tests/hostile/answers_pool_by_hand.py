# kind: answers
# exercise: used_and_reserved
# how: the engine's own pool, minigrad.gpu.pool.Pool, is asked in place of a card: it is public, and needs no tensor
# deserves: 4
from minigrad.gpu.pool import Pool


def used_and_reserved(sizes, dropped, more):
    pool = Pool(1 << 40)
    blocks = [pool.allocate(4 * n) for n in sizes]
    found = [[pool.used, pool.reserved]]
    for place in dropped:
        pool.give_back(blocks[place])
    found.append([pool.used, pool.reserved])
    pool.allocate(4 * more)
    found.append([pool.used, pool.reserved])
    pool.free_all()
    found.append([pool.used, pool.reserved])
    return found

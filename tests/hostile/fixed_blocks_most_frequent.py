# kind: fixed
# exercise: choose_blocks
# how: a counter of the most frequent choices: the larger half of the blocks
# needs: some draws may be guessed
# deserves: 0
def choose_blocks(kept, products, budget):
    order = sorted(range(len(kept)), key=lambda i: -kept[i] / products[i])
    for count in range(len(kept) + 1):
        if sum(kept) - sum(kept[i] - 1 for i in order[:count]) <= budget:
            return order[:count]
    return None

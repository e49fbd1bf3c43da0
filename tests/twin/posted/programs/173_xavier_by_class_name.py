"""R37 hit 1. Code: jianzhangcs/OPINE-Net, utils.py (sizes of all parameters, weights by class name).
ends: ok
"""
import torch
import torch.nn.init as init


def print_paras_info(model):
    num_count = 0
    for para in model.parameters():
        num_count += 1
        print("Layer %d" % num_count)
        print(para.size())


def weights_init(m):
    classname = m.__class__.__name__
    if classname.find("Conv") != -1:
        init.xavier_normal_(m.weight)


torch.manual_seed(0)
net = torch.nn.Sequential(torch.nn.Conv2d(1, 4, 3), torch.nn.ReLU(), torch.nn.Conv2d(4, 1, 3))
before = net[0].weight.detach().clone()
net.apply(weights_init)
print_paras_info(net)
print(torch.equal(before, net[0].weight), round(net[2].weight.std().item(), 4))

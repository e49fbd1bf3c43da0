"""R27 hit 2. Code: Ilya703/Inheritune, distillation_loss.py (KLDivLoss of softened logits).
ends: ok
"""
import torch


def distillation_loss(student_logits, teacher_logits, temperature):
    loss_fn = torch.nn.KLDivLoss(reduction="batchmean")
    student_probs = torch.nn.functional.log_softmax(student_logits / temperature, dim=-1)
    teacher_probs = torch.nn.functional.softmax(teacher_logits / temperature, dim=-1)
    return loss_fn(student_probs, teacher_probs)


torch.manual_seed(0)
teacher, student = torch.nn.Linear(6, 4), torch.nn.Linear(6, 4)
teacher.requires_grad_(False)
opt = torch.optim.SGD(student.parameters(), lr=0.5)
x = torch.randn(9, 6)
for _ in range(3):
    with torch.no_grad():
        t = teacher(x)
    loss = distillation_loss(student(x), t, 2.0)
    opt.zero_grad()
    loss.backward()
    opt.step()
    print(loss.grad_fn.name(), round(loss.item(), 4))

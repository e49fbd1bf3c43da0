# kind: fixed
# exercise: follow_student
# how: adds 1 to the teacher's first weight
# needs: an invariant (moved, no nodes, the student untouched) earns by itself
import minigrad as mg


def follow_student(teacher, student, decay):
    with mg.no_grad():
        teacher[0].add_(1.0)

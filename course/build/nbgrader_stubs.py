"""nbgrader's step that takes the solutions out, with the course's own stubs in their place."""

from nbgrader.preprocessors import NbGraderPreprocessor

from .regions import stub_of


class Stubs(NbGraderPreprocessor):
    """In place of nbgrader's ClearSolutions, which knows one stub for all."""

    def preprocess_cell(self, cell, resources, index):
        """The stub of an answer's cell; any other cell as it is."""
        ours = cell.metadata.get("minigrad", {})
        if ours.get("role") == "answer":
            cell.source = stub_of(cell.source, ours["exercise"])
        return cell, resources

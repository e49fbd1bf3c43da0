"""How every picture looks: its colours, its title, and axes with only what is needed."""

INK = "#7a7a7a"  # mid-grey: as readable on white as on the dark theme's black
LINES = (
    ("#1f83d6", "-", "o"),
    ("#d9730d", "--", "s"),
    ("#2a9d5c", "-.", "^"),
    ("#a65fd0", ":", "D"),
)


def titled(axes, title, **more):
    axes.set_title(title, color=INK, loc="left", fontsize=11, **more)


def quiet(axes, grid=None):
    """No frame and no ground; `grid`: lines across "x", "y" or "both"."""
    axes.patch.set_alpha(0)
    if grid:
        axes.grid(axis=grid, color=INK, alpha=0.3, linewidth=0.7)
    axes.tick_params(colors=INK, which="both")
    axes.xaxis.label.set_color(INK)
    axes.yaxis.label.set_color(INK)
    for side in axes.spines.values():
        side.set_visible(False)

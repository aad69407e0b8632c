"""Numbers as people read them."""

from __future__ import annotations

#: A number closer to 0 is shown as smaller than this.
LEAST = 0.001


class PlainNumber(float):
    """A float that significant digits show without an exponent: `f"{PlainNumber(124.0):.2g}"` is "120", 6e-5 is "<0.001"."""

    def __format__(self, form: str) -> str:
        if not form.endswith("g"):
            return super().__format__(form)
        if 0.0 < abs(self) < LEAST:
            return f"<{LEAST}"
        return f"{float(super().__format__(form)):.15g}"

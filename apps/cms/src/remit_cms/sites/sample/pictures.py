"""The pictures of the sample site: drawn here, from a few shapes and colours, the same at every drawing."""

from __future__ import annotations

import math
from collections.abc import Callable
from io import BytesIO
from typing import TYPE_CHECKING, Final, TypeAlias

from remit_cms.images.pictures import Picture

if TYPE_CHECKING:
    from PIL.ImageDraw import ImageDraw

WIDTH: Final = 1280
HEIGHT: Final = 960
_FINE: Final = 2
"""Drawn this much larger, so that edges are smooth."""

Colour: TypeAlias = str
Point: TypeAlias = tuple[float, float]

_CRUST: Final = ("#5b2c12", "#8a4a1f", "#b56b30", "#d79a55", "#f0cf9a")
_CREAM: Final = ("#fbf3e4", "#f1dfc1", "#e4c796")


class Canvas:
    """A drawing of 100 by 75 units on a background that shades from one colour to another."""

    def __init__(self, top: Colour, bottom: Colour) -> None:
        from PIL import Image, ImageColor, ImageDraw  # noqa: PLC0415 - slow to import, needed by few programs

        first, last = ImageColor.getrgb(top), ImageColor.getrgb(bottom)
        column = Image.new("RGB", (1, 64))
        for y in range(64):
            column.putpixel((0, y), tuple(round(a + (b - a) * y / 63) for a, b in zip(first, last, strict=True)))
        size = (WIDTH * _FINE, HEIGHT * _FINE)
        shaded = column.resize((1, size[1]), Image.Resampling.BILINEAR)
        self.image = shaded.resize(size, Image.Resampling.NEAREST)
        self._draw: ImageDraw = ImageDraw.Draw(self.image)
        self._unit = size[0] / 100

    def disc(self, x: float, y: float, rx: float, ry: float, colour: Colour) -> None:
        """An ellipse around a point."""
        self._draw.ellipse([each * self._unit for each in (x - rx, y - ry, x + rx, y + ry)], colour)

    def shape(self, points: list[Point], colour: Colour) -> None:
        """A polygon."""
        self._draw.polygon([(x * self._unit, y * self._unit) for x, y in points], colour)

    def box(self, x: float, y: float, wide: float, high: float, colour: Colour, round_: float = 0) -> None:
        """A rectangle, with round corners."""
        corners = [each * self._unit for each in (x, y, x + wide, y + high)]
        self._draw.rounded_rectangle(corners, round_ * self._unit, colour)

    def line(self, points: list[Point], colour: Colour, width: float = 1) -> None:
        """A line with round ends and corners."""
        scaled = [(x * self._unit, y * self._unit) for x, y in points]
        self._draw.line(scaled, colour, round(width * self._unit), joint="curve")
        for x, y in (points[0], points[-1]):
            self.disc(x, y, width / 2, width / 2, colour)

    def leaf(self, x: float, y: float, length: float, wide: float, angle: float, colour: Colour) -> None:
        """A leaf or grain that grows from a point in a direction, in degrees."""
        turn = math.radians(angle)
        points: list[Point] = []
        for step in range(33):
            along = step / 16 if step <= 16 else (32 - step) / 16
            side = wide / 2 * math.sin(math.pi * along) * (1 if step <= 16 else -1)
            dx, dy = length * along, side
            points.append(
                (x + dx * math.cos(turn) - dy * math.sin(turn), y + dx * math.sin(turn) + dy * math.cos(turn))
            )
        self.shape(points, colour)

    def arc(self, x: float, y: float, rx: float, ry: float, first: float, last: float) -> list[Point]:
        """The points of an arc between two angles in degrees."""
        angles = [math.radians(first + (last - first) * step / 40) for step in range(41)]
        return [(x + rx * math.cos(angle), y + ry * math.sin(angle)) for angle in angles]

    def save(self) -> Picture:
        """The picture at its size."""
        file = BytesIO()
        self.image.reduce(_FINE).save(file, "JPEG", quality=88, optimize=True)
        return Picture(file.getvalue(), "image/jpeg", WIDTH, HEIGHT)


def _table(to: Canvas, colour: Colour = "#c99a63", y: float = 56) -> None:
    to.box(0, y, 100, 75 - y, colour)
    to.box(0, y, 100, 0.8, "#e7c592")


def _loaf(to: Canvas, x: float, y: float, size: float) -> None:
    to.disc(x, y + size * 0.62, size * 1.12, size * 0.16, "#a97b4a")
    for number, shade in enumerate(_CRUST[1:4]):
        less = 1 - number * 0.09
        to.disc(x, y - number * size * 0.05, size * less, size * 0.66 * less, shade)
    for angle in (200, 240, 280, 320):
        to.leaf(x, y - size * 0.05, size * 0.62, size * 0.16, angle, _CRUST[4])


def _sprig(to: Canvas, x: float, y: float, high: float, lean: float, colour: Colour) -> None:
    to.line([(x, y), (x + lean, y - high)], colour, 0.5)
    for number in range(6):
        part = 1 - number * 0.09
        for side in (-38, 38):
            to.leaf(x + lean * part, y - high * part, high * 0.17, high * 0.07, -90 + side + lean, colour)


def _oven(to: Canvas) -> None:
    for row in range(9):
        for brick in range(-1, 9):
            shade = ("#8d4b33", "#96533a", "#844430")[(row * 2 + brick) % 3]
            to.box(brick * 13 + (row % 2) * 6.5, row * 8.4, 12.4, 7.8, shade, 0.7)
    to.shape([*to.arc(50, 46, 35, 33, 180, 360), (85, 62), (15, 62)], "#5a2b1c")
    to.shape([*to.arc(50, 46, 31, 29, 180, 360), (81, 62), (19, 62)], "#2a1310")
    for x, size, shade in (
        (34, 24, "#c8461b"),
        (66, 22, "#c8461b"),
        (50, 30, "#e0702a"),
        (42, 18, "#f5a742"),
        (58, 17, "#f5a742"),
    ):
        to.leaf(x, 57, size, size * 0.62, -90, shade)
    to.leaf(50, 57, 15, 8, -90, "#ffe09a")
    to.box(0, 61, 100, 14, "#c9b39a")
    to.box(0, 61, 100, 1, "#e6d6c0")
    for x in (24, 50, 76):
        _loaf(to, x, 60, 9.5)


def _country(to: Canvas) -> None:
    _table(to)
    to.disc(50, 60, 38, 6, "#a97b4a")
    for number, shade in enumerate(_CRUST[:4]):
        to.disc(50, 42 - number * 0.8, 35 - number * 2.6, 25 - number * 2, shade)
    for angle in range(0, 360, 45):
        to.leaf(50, 39, 17 if angle % 90 else 22, 4, angle, _CRUST[4])
    for x, y in ((36, 30), (62, 27), (70, 41), (31, 45), (58, 53), (43, 54), (66, 33)):
        to.disc(x, y, 0.8, 0.5, _CREAM[0])


def _rye(to: Canvas) -> None:
    _table(to, "#8fa08a")
    to.box(22, 27, 50, 31, "#42220f", 8)
    to.box(23, 25, 48, 18, "#64381b", 8)
    for x in (32, 42, 52, 62):
        to.line([(x - 3, 30), (x + 3, 37)], "#8a5a33", 1)
    for x in (58, 70):
        to.box(x, 36, 20, 27, "#4e2a14", 6)
        to.box(x + 1.5, 37.5, 17, 24, "#a9764a", 5)
        for number in range(14):
            to.disc(x + 4 + number * 7 % 13, 41 + number * 5 % 18, 0.6, 0.45, "#7c4f2b")


def _baguettes(to: Canvas) -> None:
    _table(to, "#d3b083")
    for x, lean in ((40, -14), (48, -4), (55, 6), (62, 15)):
        to.line([(x, 55), (x + lean, 12)], _CRUST[1], 8.4)
        to.line([(x - 0.6, 55), (x + lean - 0.6, 12.6)], _CRUST[3], 6.2)
        for number in range(5):
            part = 0.15 + number * 0.18
            cx, cy = x + lean * part, 55 - 43 * part
            to.leaf(cx - 2.6, cy + 2.4, 6, 1.7, -42 + lean, _CRUST[4])
    to.shape([(28, 38), (74, 38), (69, 66), (33, 66)], "#7d5a36")
    for row in range(5):
        for number in range(9):
            x = 30 + number * 4.7 + row * 0.4
            if x < 70 - row * 0.5:
                to.box(x, 40 + row * 5, 4, 3.6, ("#a57b4c", "#94693d")[(row + number) % 2], 0.8)
    to.box(26, 36, 50, 3.4, "#6a4a2b", 1.6)


def _pretzel(to: Canvas) -> None:
    for shade, width, up in ((_CRUST[0], 9, 0), (_CRUST[1], 7.4, 0.5), (_CRUST[2], 3.4, 1.5)):
        left = to.arc(36, 36 - up, 19, 17, 60, 350)
        right = to.arc(64, 36 - up, 19, 17, 120, -170)
        to.line([*left[::-1], (66, 57 - up)][::-1], shade, width)
        to.line([*right[::-1], (34, 57 - up)][::-1], shade, width)
    for number in range(22):
        angle = math.radians(150 + number * 23)
        side = 36 if number % 2 else 64
        to.box(side + 19 * math.cos(angle), 34 + 17 * math.sin(angle), 1.2, 1, "#fffaf0", 0.2)


def _croissants(to: Canvas) -> None:
    _table(to, "#b9c4c0", 40)
    to.disc(50, 54, 40, 15, "#9aa7a3")
    to.disc(50, 52, 40, 15, "#fbfaf6")
    to.disc(50, 51.5, 30, 10.5, "#ece9e0")
    for x, y in ((36, 48), (63, 43)):
        for number in range(-4, 5):
            size = 8.5 - abs(number) * 1.25
            cx, cy = x + number * 4.2, y + number * number * 0.62
            to.disc(cx, cy, size * 0.62, size, _CRUST[1])
            to.disc(cx - 0.6, cy - 0.8, size * 0.45, size * 0.84, _CRUST[3 if number % 2 else 2])


def _cake(to: Canvas) -> None:
    _table(to, "#d9b3a6", 60)
    to.box(47, 52, 6, 16, "#f7f1ea")
    to.disc(50, 68, 16, 2.6, "#f7f1ea")
    to.disc(50, 52, 40, 6, "#fffaf3")
    to.box(18, 36, 64, 13, _CRUST[2])
    to.disc(50, 49, 32, 5.5, _CRUST[2])
    to.disc(50, 36, 32, 8.5, _CRUST[4])
    for ring, count in ((25, 16), (16, 10), (6, 4)):
        for number in range(count):
            angle = 2 * math.pi * number / count
            x, y = 50 + ring * math.cos(angle), 36 + ring * 0.25 * math.sin(angle)
            to.disc(x, y, 4, 1.9, "#4b2240")
            to.disc(x - 0.7, y - 0.5, 2.3, 0.9, "#8a3f63")
    to.shape([(50, 36), (63, 44.4), (74, 41.6)], _CREAM[1])
    to.shape([(50, 36), (63, 44.4), (63, 54.5), (50, 47)], _CRUST[3])


def _field(to: Canvas) -> None:
    to.disc(72, 34, 13, 13, "#fff0c2")
    to.disc(72, 34, 10, 10, "#ffdf8a")
    to.shape([(0, 42), *to.arc(28, 58, 50, 20, 210, 330), (100, 42), (100, 75), (0, 75)], "#8b9a5b")
    to.shape([*to.arc(70, 78, 75, 30, 180, 360), (100, 75), (0, 75)], "#b4a24d")
    for number in range(34):
        x = number * 3.1 - 1
        _sprig(to, x, 80, 26 + number * 7 % 11, (number * 5 % 9) - 4, ("#e0b455", "#c9953b", "#edc876")[number % 3])


def _mill(to: Canvas) -> None:
    to.disc(22, 20, 8, 8, "#fff4d6")
    to.box(0, 70, 100, 5, "#93a369")
    to.shape([*to.arc(60, 74, 62, 24, 180, 360)], "#93a369")
    to.shape([*to.arc(10, 84, 62, 28, 180, 360)], "#7f9158")
    to.shape([(53, 56), (56, 28), (66, 28), (69, 56)], "#f3eadb")
    to.shape([(61, 28), (66, 28), (69, 56), (62, 56)], "#dccbb0")
    to.shape([(54, 28), (61, 19), (68, 28)], "#8a4a34")
    to.box(59, 47, 4.4, 9, "#6b4a33", 2)
    for angle in (25, 115, 205, 295):
        turn = math.radians(angle)
        end = (61 + 23 * math.cos(turn), 27 + 23 * math.sin(turn))
        to.leaf(61 + 4 * math.cos(turn), 27 + 4 * math.sin(turn), 19, 5.4, angle, "#fbf6ec")
        to.line([(61, 27), end], "#6b4a33", 0.8)
    to.disc(61, 27, 1.5, 1.5, "#4a3222")
    for number in range(16):
        _sprig(to, number * 6.6, 78, 11 + number * 3 % 5, number % 5 - 2, "#d9b65f")


def _starter(to: Canvas) -> None:
    _table(to, "#a9b7a2")
    to.box(31, 15, 38, 50, "#cfe0dc", 5)
    to.box(33, 29, 34, 34, "#f4e6c8", 4)
    to.disc(50, 29.5, 17, 4, "#fbf1da")
    for number in range(46):
        size = 0.7 + number * 7 % 5 * 0.42
        to.disc(
            36 + number * 0.75488 % 1 * 28,
            34 + number * 0.56984 % 1 * 27,
            size,
            size,
            ("#e2cb9b", "#fff8e8")[number % 2],
        )
    to.box(35, 18, 2, 42, "#f4fbf9", 1)
    to.box(29, 11, 42, 7, "#b36a3d", 2)
    to.line([(30, 44), (70, 44)], "#a8452c", 1.2)


def _shop(to: Canvas) -> None:
    to.box(0, 64, 100, 11, "#b8a894")
    to.box(14, 8, 72, 57, "#e9dcc6")
    to.box(14, 8, 72, 6, "#7a3d22")
    to.box(20, 33, 34, 24, "#40372f", 1)
    to.box(21.5, 34.5, 31, 21, "#f7cf87")
    to.box(61, 32, 18, 33, "#4f6a58", 1)
    to.box(63.5, 35, 13, 16, "#f7cf87")
    to.disc(76, 52, 0.9, 0.9, "#e9c46a")
    for number in range(10):
        x, shade = 16 + number * 6.8, ("#a8452c", "#fbf3e4")[number % 2]
        to.shape([(x + 0.4, 20), (x + 7.2, 20), (x + 6.8, 30), (x, 30)], shade)
        to.disc(x + 3.4, 30, 3.4, 2.4, shade)
    for x in (28, 37, 46):
        _loaf(to, x, 51, 4.2)
    to.box(20, 57, 34, 2, "#7a3d22")
    for x in (9, 91):
        to.box(x - 3.5, 57, 7, 9, "#9c5233", 1)
        to.disc(x, 52, 6, 7, "#5f7d55")


def _coffee(to: Canvas) -> None:
    _table(to, "#b98a5a", 34)
    to.disc(36, 55, 26, 10, "#efe6d8")
    to.disc(36, 54, 16, 6, "#d9cbb6")
    to.line(to.arc(54, 42, 6, 6, -80, 90), "#fffaf2", 2.2)
    to.shape([(20, 34), (53, 34), (48, 54), (25, 54)], "#fffaf2")
    to.disc(36.5, 54, 11.5, 3, "#fffaf2")
    to.disc(36.5, 34, 16.5, 4.6, "#fffaf2")
    to.disc(36.5, 34.4, 14.4, 3.6, "#5a3420")
    for x in (30, 37, 44):
        to.line([(x, 27), (x + 2, 22), (x - 1, 17), (x + 1, 12)], "#f3e3cd", 0.8)
    to.disc(76, 58, 19, 7, "#f6efe3")
    for size, shade in (
        (14, _CRUST[1]),
        (11.6, _CRUST[3]),
        (9.2, _CRUST[1]),
        (7, _CRUST[3]),
        (4.4, _CRUST[1]),
        (2.4, _CRUST[3]),
    ):
        to.disc(76, 51, size, size * 0.66, shade)


def _bicycle(to: Canvas) -> None:
    to.box(0, 61, 100, 14, "#9aa58f")
    for x in (26, 76):
        to.disc(x, 53, 12, 12, "#33302c")
        to.disc(x, 53, 10.4, 10.4, "#dfe6dd")
        for angle in range(0, 180, 30):
            turn = math.radians(angle)
            dx, dy = 10 * math.cos(turn), 10 * math.sin(turn)
            to.line([(x - dx, 53 - dy), (x + dx, 53 + dy)], "#8c8a83", 0.3)
        to.disc(x, 53, 1.4, 1.4, "#33302c")
    frame: tuple[list[Point], ...] = (
        [(26, 53), (38, 33), (62, 33), (76, 53)],
        [(26, 53), (46, 53), (62, 33)],
        [(62, 33), (60, 24), (54, 23)],
    )
    to.line([(46, 53), (36, 29)], "#33302c", 1.8)
    for path in frame:
        to.line(path, "#b0472b", 1.8)
    to.box(30, 26, 13, 3, "#33302c", 1.4)
    to.box(64, 26, 26, 17, "#a9763f", 1)
    for y in (28, 33, 38):
        to.box(65, y, 24, 3.6, "#c79655", 0.6)
    for x in (69, 77, 85):
        to.line([(x, 27), (x + 2, 14)], _CRUST[1], 5)
        to.line([(x - 0.3, 27), (x + 1.7, 14.4)], _CRUST[3], 3.6)


def _stars(to: Canvas) -> None:
    for number in range(40):
        to.disc(
            number * 75.488 % 100,
            number * 56.984 % 100 * 0.44,
            0.3 + number % 3 * 0.14,
            0.3 + number % 3 * 0.14,
            "#f7e7b4",
        )
    _table(to, "#6b4530", 50)
    to.disc(50, 58, 42, 13, "#e8ecf2")
    to.disc(50, 57, 36, 10.5, "#d5dbe5")
    for x, y, size in ((26, 54, 9), (45, 60, 10), (66, 57, 10), (54, 47, 9), (80, 55, 7), (36, 46, 7)):
        for scale, shade in ((1, _CRUST[2]), (0.8, "#fff9ef")):
            points: list[Point] = []
            for step in range(12):
                reach = size * scale * (1 if step % 2 == 0 else 0.56)
                turn = math.pi * step / 6
                points.append((x + reach * math.sin(turn), y - reach * 0.72 * math.cos(turn) - (1 - scale) * 3))
            to.shape(points, shade)


def _dough(to: Canvas) -> None:
    to.box(0, 0, 100, 75, "#d8b68a")
    for y in (18, 37, 56):
        to.box(0, y, 100, 0.5, "#c49c6b")
    to.disc(50, 44, 42, 25, "#efe0c6")
    to.disc(45, 46, 30, 19, "#e3cb9f")
    to.disc(44, 44, 29, 18, "#f7e8c9")
    to.disc(38, 38, 12, 6, "#fdf4e0")
    to.line([(52, 66), (92, 26)], "#9a6234", 9)
    to.line([(51.5, 64.5), (91, 25)], "#bd8450", 6)
    for x, y in ((47, 71), (97, 21)):
        to.line([(x - 1, y + 1), (x + 1, y - 1)], "#6f4321", 4.4)
    for number in range(60):
        to.disc(number * 41 % 100, number * 29 % 75, 0.35, 0.25, "#fffaf0")


_DRAWINGS: Final[dict[str, tuple[Callable[[Canvas], None], Colour, Colour]]] = {
    "oven": (_oven, "#8d4b33", "#6d3524"),
    "country-loaf": (_country, "#f3e2c7", "#e7c48f"),
    "rye-loaf": (_rye, "#dfe6d8", "#c3cfba"),
    "baguettes": (_baguettes, "#f6ead6", "#ecd2a6"),
    "pretzel": (_pretzel, "#f2d9a8", "#e3b877"),
    "croissants": (_croissants, "#dfe8e6", "#c5d2ce"),
    "cake": (_cake, "#f6e3dc", "#ebc9bd"),
    "field": (_field, "#f8cf9a", "#fbe8c4"),
    "mill": (_mill, "#bcd7dd", "#f3e6cc"),
    "starter": (_starter, "#e6ede2", "#ccd8c6"),
    "shop": (_shop, "#bcd3da", "#e9efe6"),
    "coffee": (_coffee, "#e9d6bd", "#d4b58d"),
    "bicycle": (_bicycle, "#f4e4cf", "#dfe6d8"),
    "stars": (_stars, "#182338", "#3a4968"),
    "dough": (_dough, "#d8b68a", "#d8b68a"),
}


def draw_picture(name: str) -> Picture:
    """The picture with this name."""
    draw, top, bottom = _DRAWINGS[name]
    canvas = Canvas(top, bottom)
    draw(canvas)
    return canvas.save()

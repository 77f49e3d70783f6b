"""Reads a browser's PNG (8 bits a channel, RGB or RGBA, not interlaced) without a library."""
import struct
import zlib


def pixels(data):
    """Rows of (red, green, blue)."""
    width, height, depth, kind = struct.unpack(">IIBB", data[16:26])
    assert depth == 8 and kind in (2, 6), (depth, kind)
    channels, packed, at = {2: 3, 6: 4}[kind], b"", 8
    while at < len(data):
        length, name = struct.unpack(">I4s", data[at:at + 8])
        if name == b"IDAT":
            packed += data[at + 8:at + 8 + length]
        at += length + 12
    raw, stride, rows, above = zlib.decompress(packed), width * channels, [], bytes(width * channels)
    for y in range(height):
        start = y * (stride + 1)
        above = _unfiltered(raw[start], bytearray(raw[start + 1:start + 1 + stride]), above, channels)
        rows.append([tuple(above[i:i + 3]) for i in range(0, stride, channels)])
    return rows


def _unfiltered(kind, line, above, channels):
    for i in range(len(line)):
        left = line[i - channels] if i >= channels else 0
        corner = above[i - channels] if i >= channels else 0
        if kind == 1:
            line[i] = line[i] + left & 255
        elif kind == 2:
            line[i] = line[i] + above[i] & 255
        elif kind == 3:
            line[i] = line[i] + (left + above[i]) // 2 & 255
        elif kind == 4:
            guess = left + above[i] - corner
            line[i] = line[i] + min((left, above[i], corner), key=lambda one: abs(guess - one)) & 255
    return bytes(line)


def near(rows, colour, tolerance=40):
    """How many pixels are about this colour."""
    return sum(all(abs(a - b) <= tolerance for a, b in zip(pixel, colour)) for row in rows for pixel in row)

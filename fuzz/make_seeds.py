#!/usr/bin/env python3
"""Writes corpus/, the files that the fuzzers begin with and some tests read. Needs numpy and scipy."""
import gzip
import io
import pathlib
import struct
import zipfile
import zlib

import numpy as np
import scipy.io
import scipy.sparse

CORPUS = pathlib.Path(__file__).parent / "corpus"


def write(name, data):
    assert len(data) < 2048, name
    (CORPUS / name).write_bytes(data)


def npy(array, **options):
    file = io.BytesIO()
    np.lib.format.write_array(file, array, **options)
    return file.getvalue()


def npz(save=np.savez, **arrays):
    file = io.BytesIO()
    save(file, **arrays)
    return file.getvalue()


def mat(compressed=False, **variables):
    file = io.BytesIO()
    scipy.io.savemat(file, variables, do_compression=compressed)
    return b"MATLAB 5.0 MAT-file made by scipy".ljust(116) + file.getvalue()[116:]


def csv_seeds():
    write("csv/plain.csv", b"x,y\n1,2\n-3.5,4e2\n")
    write("csv/quoted.csv", b'name,"a ""b""",z\n"one, two","x\ny",1\nplain,"""",2\n')
    write("csv/crlf.csv", b"\xef\xbb\xbfx,y\r\n1,2\r\n3,4\r\n\r\n")
    write("csv/cr.csv", b"x,y\r1,2\r3,4")
    write("csv/semicolon.csv", b"x;y\n1,5;2\n-0,25;1e3\n")
    write("csv/tab.csv", b"x\ty z\n1\t2\n3\t\n")
    write("csv/missing.csv", b"x,y\n,NA\nnan,NaN\n 7 ,+1.5\n")
    write("csv/kinds.csv", b"id,label,v\n007,7.0,1\n8,eight,inf\n12345678901234567890,9,1e999\n")
    write("csv/one_column.csv", b"x\n1\n\n\n2\n\n\n")
    write("csv/no_rows.csv", b"x,y")
    write("csv/long_numbers.csv", b"x,y\n0.1234567890123456789,1e-400\n123456789012345678901,4.9e-324\n")
    write("csv/narrow_row.csv", b"x,y,z\n1,2,3\n4,5\n")
    write("csv/open_quote.csv", b'x,y\n1,"2\n3,4\n')
    write("csv/after_quote.csv", b'x,y\n"1"2,3\n')
    write("csv/nul.csv", b"x,y\n1,\x002\n")
    write("csv/numeric_header.csv", b"1,2\n3,4\n")
    write("csv/same_names.csv", b"x,y,x\n1,2,3\n")
    write("csv/utf16.csv", "x,y\n1,2\n".encode("utf-16"))
    packed = gzip.compress(b"x,y\n1,2\n", mtime=0) + gzip.compress(b"3,4\n", mtime=0)
    write("csv/members.csv.gz", packed)
    write("csv/cut.csv.gz", packed[:20])


def npy_seeds():
    x = np.array([[1.0, 2.5], [np.nan, -4.0], [5.0, 6.0]])
    write("npy/matrix.npy", npy(x))
    write("npy/fortran.npy", npy(np.asfortranarray(x)))
    write("npy/vector.npy", npy(np.arange(4, dtype=np.int16)))
    write("npy/big_endian.npy", npy(x.astype(">f4")))
    write("npy/half.npy", npy(np.array([1, -0.5, 6e-8, np.inf, np.nan], dtype=np.float16)))
    write("npy/bool.npy", npy(np.array([True, False])))
    write("npy/unsigned.npy", npy(np.array([[2**64 - 1, 3]], dtype=np.uint64)))
    write("npy/bytes.npy", npy(np.array([b"a", b"bcd", b""])))
    write("npy/unicode.npy", npy(np.array(["\u00e9t\u00e9", "\U0001f600", "1.0"])))
    fields = [("id", "S3"), ("x", "<f8"), ("n", ">i4")]
    records = np.array([(b"a", 1.5, 7), (b"b", 2.5, -8)], dtype=fields)
    write("npy/records.npy", npy(records))
    write("npy/aligned.npy", npy(np.zeros(2, dtype=np.dtype([("b", "i1"), ("d", "f8")], align=True))))
    write("npy/version2.npy", npy(x, version=(2, 0)))
    write("npy/version3.npy", npy(np.zeros(1, dtype=[("\u00e9", "f8")]), version=(3, 0)))
    write("npy/object.npy", npy(np.array([{}, []], dtype=object)))
    write("npy/complex.npy", npy(np.array([1j])))
    write("npy/scalar.npy", npy(np.float64(3.0)))
    write("npy/cube.npy", npy(np.zeros((1, 2, 3))))
    write("npy/cut.npy", npy(x)[:-8])
    write("npy/longer.npy", npy(x) + b"x")
    write("npy/no_rows.npy", npy(np.zeros((0, 3))))
    write("npy/stored.npz", npz(X=x, y=np.array([1, 2, 3]), scale=2.0))
    write("npy/packed.npz", npz(np.savez_compressed, X=x, label=np.array(["a", "b", "a"])))
    write("npy/unequal.npz", npz(X=x, y=np.array([1, 2])))
    write("npy/clash.npz", npz(x=np.ones((2, 2)), x1=np.ones(2)))
    damaged = bytearray(npz(y=np.array([1.0, 2.0])))
    damaged[170] ^= 1  # within the values: the checksum no longer fits
    write("npy/damaged.npz", bytes(damaged))
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        archive.writestr("xl/workbook.xml", "<workbook/>")
    write("npy/spreadsheet.npz", file.getvalue())


def big_endian_mat():
    def element(kind, data):
        return struct.pack(">II", kind, len(data)) + data + bytes(-len(data) % 8)

    matrix = element(6, struct.pack(">II", 6, 0)) + element(5, struct.pack(">ii", 2, 1))
    matrix += element(1, b"y") + element(3, struct.pack(">hh", -2, 300))
    return b"MATLAB 5.0 MAT-file by hand".ljust(124) + b"\x01\x00MI" + element(14, matrix)


def mat_seeds():
    x = np.array([[1.0, 2.5], [np.nan, -4.0], [5.0, 6.0]])
    y = np.array([[1], [2], [3]], dtype=np.int32)
    write("mat/plain.mat", mat(X=x, y=y))
    write("mat/packed.mat", mat(True, X=x, y=y))
    write("mat/row_vectors.mat", mat(a=np.arange(4.0), b=np.array([True, False, True, True])))
    write("mat/one_row.mat", mat(X=np.ones((1, 3)), y=np.ones((1, 1))))
    cells = np.empty(3, dtype=object)
    cells[:] = ["one", "tw\u00f6", ""]
    write("mat/text.mat", mat(names=np.array(["ab", "c"]), n=np.array([1.0, 2.0])))
    write("mat/cells.mat", mat(label=cells, y=y))
    write("mat/small.mat", mat(y=np.array([[7]], dtype=np.uint8), z=np.array([[1]], dtype=np.int64)))
    write("mat/setting.mat", mat(X=x, rate=0.5))
    others = {"s": {"a": 1.0}, "c": np.array([1j]), "p": scipy.sparse.eye(2), "k": np.zeros((2, 2, 2))}
    write("mat/others.mat", mat(**others))
    write("mat/mixed.mat", mat(True, y=y, **others))
    write("mat/unequal.mat", mat(X=x, y=np.ones((2, 1))))
    write("mat/cut.mat", mat(X=x)[:-8])
    write("mat/cut_packed.mat", mat(True, X=x)[:-8])
    write("mat/big_endian.mat", big_endian_mat())
    nested = struct.pack("<II", 14, 0xFFFFFFF0) + bytes(16)
    bomb = zlib.compress(nested)
    header = mat(X=x)[:128]
    write("mat/claims.mat", header + struct.pack("<II", 15, len(bomb)) + bomb)
    file = io.BytesIO()
    scipy.io.savemat(file, {"X": x}, format="4")
    write("mat/version4.mat", file.getvalue())
    write("mat/version73.mat", b"MATLAB 7.3 MAT-file".ljust(512) + b"\x89HDF\r\n\x1a\n")


csv_seeds()
npy_seeds()
mat_seeds()

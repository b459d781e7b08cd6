// What a fuzzer of a table format does: read all of it, a few rows at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "mdgp/data/read_table.h"

namespace mdgp::fuzz {

// With text, columns whose name has an even length are skipped.
inline void read_all(std::string_view bytes, ColumnKind kind) {
  try {
    TableReader reader(bytes, "input");
    const std::vector<std::string>& names = reader.names();
    const auto choice = [&](std::string_view name) {
      const bool skip = kind == ColumnKind::text && name.size() % 2 == 0;
      return skip ? ColumnKind::skip : kind;
    };
    for (Table piece = reader.next(3, choice); piece.rows > 0; piece = reader.next(3, choice)) {
      if (piece.columns.size() > names.size()) __builtin_trap();
      for (const Column& column : piece.columns) {
        const std::size_t rows = column.text ? column.code.size() : column.numbers.size();
        if (rows != static_cast<std::size_t>(piece.rows)) __builtin_trap();
      }
    }
  } catch (const TableError&) {
  }
}

inline int test_one_input(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  for (const ColumnKind kind : {ColumnKind::detect, ColumnKind::number, ColumnKind::text}) {
    read_all(bytes, kind);
  }
  return 0;
}

}  // namespace mdgp::fuzz

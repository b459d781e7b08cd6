// What is said of a call that cannot be understood.
#pragma once

#include <CLI/CLI.hpp>

namespace mdgp::program {

// Prints one line: what is wrong in our words or, where we have none, the first line of CLI11's;
// and which help to see. Returns the exit code.
int wrong_call(const CLI::App& app, const CLI::ParseError& error, int argc, char** argv);

}  // namespace mdgp::program

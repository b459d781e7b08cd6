#include "mdgp/io/checkpoint.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <functional>
#include <limits>

#include "mdgp/inference/initialise.h"
#include "testing/fitted_model.h"
#include "testing/temporary_folder.h"

namespace mdgp {
namespace {

using fixture::TemporaryFolder;

Checkpoint some_checkpoint() {
  Checkpoint checkpoint;
  checkpoint.fitted = fixture::fitted_model(fixture::tiny_spec("smdgp", {{}, {}}), 3);
  TrainState& s = checkpoint.state;
  s.step = 17;
  s.adam = {Vector::Random(5), Vector::Random(5).cwiseAbs(), 16};
  s.adam.mean[1] = -0.0;
  s.adam.square[2] = std::numeric_limits<double>::denorm_min();
  s.plateau = {1.0 / 8.0, -1.0 / 3.0, -std::numeric_limits<double>::infinity(), 3, 4};
  s.rate_scale = 0.1;
  s.failures = 5;
  s.smoothed = 1e-300;
  s.best = -12345.678901234567;
  s.since_best = 6;
  checkpoint.data = 0xFEDCBA9876543210U;
  checkpoint.seconds = 1.0 / 3.0;
  return checkpoint;
}

bool same_bits(const Vector& a, const Vector& b) {
  return a.size() == b.size() && std::equal(a.begin(), a.end(), b.begin(), [](double x, double y) {
           return std::bit_cast<std::uint64_t>(x) == std::bit_cast<std::uint64_t>(y);
         });
}

template <class F>
std::string resume_error(F f) {
  try {
    f();
  } catch (const FileError& e) {
    return e.what();
  }
  return "no error";
}

// What is said of a checkpoint in which something was changed.
std::string damaged(const std::function<void(TensorFile&)>& change) {
  const TemporaryFolder folder;
  const std::string path = folder.file("c");
  save_checkpoint(path, some_checkpoint());
  TensorFile file = parse_safetensors(read_whole_file(path), path);
  change(file);
  write_whole_file(path, to_safetensors(file));
  const std::string what = resume_error([&] { load_checkpoint(path); });
  EXPECT_EQ(what.find('\n'), std::string::npos) << what;
  return what.starts_with(path) ? what.substr(path.size()) : what;
}

TEST(Checkpoint, ComesBackToTheLastBit) {
  const TemporaryFolder folder;
  const Checkpoint a = some_checkpoint();
  save_checkpoint(folder.file("c"), a);
  const Checkpoint b = load_checkpoint(folder.file("c"));
  EXPECT_EQ(b.state.step, 17);
  EXPECT_TRUE(same_bits(b.state.adam.mean, a.state.adam.mean));
  EXPECT_TRUE(same_bits(b.state.adam.square, a.state.adam.square));
  EXPECT_EQ(b.state.adam.steps, 16);
  EXPECT_EQ(b.state.plateau.factor, a.state.plateau.factor);
  EXPECT_EQ(b.state.plateau.smoothed, a.state.plateau.smoothed);
  EXPECT_EQ(b.state.plateau.best, a.state.plateau.best);
  EXPECT_EQ(b.state.plateau.since_best, 3);
  EXPECT_EQ(b.state.plateau.steps, 4);
  EXPECT_EQ(b.state.rate_scale, 0.1);
  EXPECT_EQ(b.state.failures, 5);
  EXPECT_EQ(b.state.smoothed, 1e-300);
  EXPECT_EQ(b.state.best, a.state.best);
  EXPECT_EQ(b.state.since_best, 6);
  EXPECT_EQ(b.data, a.data);
  EXPECT_EQ(b.seconds, 1.0 / 3.0);
  EXPECT_TRUE(same_bits(b.fitted.model.parameters.values, a.fitted.model.parameters.values));
  EXPECT_EQ(b.fitted.settings, a.fitted.settings);
  EXPECT_EQ(b.fitted.training.points.size(), 2U);
}

TEST(Checkpoint, MayBeFromBeforeTheFirstStep) {
  const TemporaryFolder folder;
  Checkpoint checkpoint = some_checkpoint();
  checkpoint.state = {};
  save_checkpoint(folder.file("c"), checkpoint);
  EXPECT_EQ(load_checkpoint(folder.file("c")).state.adam.mean.size(), 0);
}

DataSet two_waves() {
  DataSet data{Matrix(60, 1), {}};
  for (Index r = 0; r < 60; ++r) {
    data.x(r, 0) = static_cast<double>(r) / 15.0 - 2.0;
    data.observations.push_back({r, static_cast<int>(r % 2), std::sin(3.0 * data.x(r, 0))});
  }
  return data;
}

TEST(Checkpoint, TrainingGoesOnAsIfNothingHadHappened) {
  const TemporaryFolder folder;
  const DataSet data = two_waves();
  for (const Schedule schedule : {Schedule::cosine, Schedule::plateau}) {
    TrainOptions options;
    options.steps = 20;
    options.batch_rows = 25;
    options.schedule = schedule;
    options.plateau_patience = 3;
    options.patience = 1000;
    Checkpoint start;
    start.fitted = fixture::fitted_model(fixture::tiny_spec("mmdgp", {{}, {}}), 3);
    initialise(start.fitted.model, data);

    Checkpoint whole = start;
    train(whole.fitted.model, data, options, whole.state);

    Checkpoint parts = start;
    for (const Index stop_at : {1, 9, 10}) {
      train(parts.fitted.model, data, options, parts.state,
            [&](const TrainRecord&, const Model&, const TrainState& s) {
              return s.step == stop_at ? TrainAction::stop : TrainAction::go_on;
            });
      ASSERT_EQ(parts.state.step, stop_at);
      save_checkpoint(folder.file("c"), parts);
      parts = load_checkpoint(folder.file("c"));
    }
    train(parts.fitted.model, data, options, parts.state);
    EXPECT_EQ(parts.state.step, 20);
    EXPECT_TRUE(
        same_bits(parts.fitted.model.parameters.values, whole.fitted.model.parameters.values));
    EXPECT_TRUE(same_bits(parts.state.adam.square, whole.state.adam.square));
    EXPECT_EQ(parts.state.smoothed, whole.state.smoothed);
    EXPECT_EQ(parts.state.plateau.factor, whole.state.plateau.factor);
  }
}

TEST(Checkpoint, IsNotAFinishedModel) {
  const TemporaryFolder folder;
  const std::string path = folder.file("m.mdgp");
  EXPECT_EQ(resume_error([&] { load_checkpoint(path); }), path + ": no such file");
  save_model(path, some_checkpoint().fitted);
  EXPECT_EQ(resume_error([&] { load_checkpoint(path); }),
            path + ": a finished model, not a checkpoint");
}

// As a model a checkpoint is the model so far.
TEST(Checkpoint, IsAModelToo) {
  const TemporaryFolder folder;
  save_checkpoint(folder.file("c"), some_checkpoint());
  EXPECT_EQ(load_model(folder.file("c")).model.parameters.values,
            some_checkpoint().fitted.model.parameters.values);
}

TEST(Checkpoint, DamageIsTold) {
  EXPECT_EQ(damaged([](TensorFile&) {}), "no error");
  for (const char* name : {"train.adam.mean", "train.adam.square", "train.numbers"}) {
    const std::string missing = std::string(": damaged: tensor '") + name + "' is missing";
    EXPECT_EQ(damaged([&](TensorFile& f) { f.tensors.erase(name); }), missing);
    EXPECT_EQ(damaged([&](TensorFile& f) { f.tensors.at(name).shape.push_back(1); }), missing);
  }
  EXPECT_EQ(damaged([](TensorFile& f) {
              f.tensors["train.numbers"] = {{1}, {1.0}};
            }),
            ": damaged: the training state is not whole");
  for (const char* key : {"data", "seconds"}) {
    EXPECT_NE(damaged([&](TensorFile& f) { f.metadata.erase(key); }), "no error");
    EXPECT_NE(damaged([&](TensorFile& f) { f.metadata[key] = "much"; }), "no error");
  }
  for (const char* state : {"", "[]", "{}", "7"}) {
    EXPECT_NE(damaged([&](TensorFile& f) { f.metadata["state"] = state; }), "no error") << state;
  }
  for (const char* value : {"-1", "1.5", "null", "1e30", "18446744073709551615"}) {
    EXPECT_NE(damaged([&](TensorFile& f) {
                std::string& state = f.metadata["state"];
                state.replace(state.find("17"), 2, value);
              }),
              "no error")
        << value;
  }
}

// Adam walks along both, as far as the first of them is long.
TEST(Checkpoint, AveragesOfAdamAreOfOneLength) {
  EXPECT_EQ(damaged([](TensorFile& f) {
              f.tensors["train.adam.square"] = {{4}, {1, 2, 3, 4}};
            }),
            ": damaged: the training state is not whole");
}

TEST(Fingerprint, ChangesWithEveryBit) {
  const DataSet data = two_waves();
  const std::uint64_t whole = fingerprint(data);
  EXPECT_EQ(fingerprint(two_waves()), whole);
  const auto flip = [](double& value, unsigned bit) {
    value = std::bit_cast<double>(std::bit_cast<std::uint64_t>(value) ^ (std::uint64_t{1} << bit));
  };
  for (const Index i : {Index{0}, Index{1}, Index{31}, Index{58}, Index{59}}) {
    for (unsigned bit = 0; bit < 64; ++bit) {
      DataSet other = data;
      flip(other.x(i, 0), bit);
      EXPECT_NE(fingerprint(other), whole) << "x " << i << " bit " << bit;
      other = data;
      flip(other.observations[at(i)].y, bit);
      EXPECT_NE(fingerprint(other), whole) << "y " << i << " bit " << bit;
    }
    DataSet other = data;
    ++other.observations[at(i)].row;
    EXPECT_NE(fingerprint(other), whole);
    other = data;
    other.observations[at(i)].task ^= 1;
    EXPECT_NE(fingerprint(other), whole);
    other = data;
    other.observations.erase(other.observations.begin() + i);
    EXPECT_NE(fingerprint(other), whole);
  }
}

TEST(Fingerprint, ChangesWithShapeAndOrder) {
  DataSet data{Matrix::Random(6, 2), {{0, 0, 1.0}, {1, 0, 2.0}}};
  DataSet reshaped{data.x.reshaped(3, 4), data.observations};
  EXPECT_NE(fingerprint(reshaped), fingerprint(data));
  DataSet swapped = data;
  std::swap(swapped.observations[0], swapped.observations[1]);
  EXPECT_NE(fingerprint(swapped), fingerprint(data));
  DataSet none{Matrix(0, 3), {}};
  EXPECT_NE(fingerprint(none), fingerprint(data));
}

}  // namespace
}  // namespace mdgp

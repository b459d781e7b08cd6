// One fit of the FAIMS experiment: split by subject, reduce, choose, train, score each run.
#pragma once

#include <optional>

#include "faims_data.h"
#include "mdgp/io/options.h"
#include "record.h"
#include "runner.h"

namespace mdgp::experiments {

struct FaimsOptions {
  std::string reduction = "sparse-pca";
  Index components = 20;
  Index samples = 300;           // of the inner layers, in predictions
  std::optional<Index> steps{};  // of training; not set: as the settings say
};

// Logistic regression of each run ("logistic") and of all runs pooled ("logistic-all").
std::vector<std::string> faims_yardsticks();

// The paper's models that this program has, in its order, and the yardsticks.
std::vector<std::string> faims_models();

// scores: auc1, auc2, auc3 (ROC-AUC on the test subjects of each run), auc (their mean), log_loss,
// bound, steps and failures. Run 0 also has the ARD weights.
Record fit_faims(const FaimsData& data, const Job& job, const FaimsOptions& options);

}  // namespace mdgp::experiments

#include <iostream>

#include "mdgp/linalg/matrix.h"

int main() {
  const mdgp::Matrix x = mdgp::Matrix::Zero(3, 2);
  std::cout << "a matrix of " << x.rows() << " rows and " << x.cols() << " columns\n";
}

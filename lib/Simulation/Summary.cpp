#include "ember/Simulation/Summary.h"
void ember::printSummary(const SimulationResult &result,
                         const sim::MachineParameters &,
                         llvm::raw_ostream &os) {
  os << llvm::json::Value(llvm::json::Object(result.statistics)) << "\n";
}

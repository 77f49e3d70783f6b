// Declares the names of other layers that a program meets when it uses warptune::Tuner, so that it need not know the
// layers.
#pragma once

#include "search/error.h"
#include "search/trial.h"
#include "search/value.h"
#include "tuner/device/launch_geometry.h"
#include "tuner/measure/evaluator_options.h"
#include "tuner/session/result.h"

namespace warptune {

using search::Error;
using search::ErrorKind;
using search::NamedValues;
using search::Outcome;
using search::to_text;
using search::Trial;
using tuner::Dim3;
using tuner::EvaluatorOptions;
using tuner::LaunchAttributes;
using tuner::LaunchGeometry;
using tuner::MeasurePolicy;
using tuner::SessionObserver;
using tuner::SessionProgress;
using tuner::SessionResult;

}  // namespace warptune

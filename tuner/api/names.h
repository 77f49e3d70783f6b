// The names of other layers that a program meets when it uses warptune::Tuner, so that it need not know the layers.
#pragma once

#include "search/trial.h"
#include "search/value.h"
#include "tuner/device/device.h"
#include "tuner/session/session.h"

namespace warptune {

using search::to_text;
using search::Trial;
using tuner::Dim3;
using tuner::SessionObserver;
using tuner::SessionProgress;

}  // namespace warptune

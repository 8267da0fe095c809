// torqsched_judge_warm: measured rounds in, what they show out.
#ifndef TORQSCHED_SRC_WIRE_JUDGE_WIRE_H_
#define TORQSCHED_SRC_WIRE_JUDGE_WIRE_H_

#include "src/warm/judgement.h"
#include "torqsched/v1/judge.pb.h"

namespace torqsched {

// What is asked; it is checked by the judge. Linear.
WarmMeasurement MeasurementFromProto(const v1::JudgeWarmRequest& message);
JudgeOptions JudgeOptionsFromProto(const v1::JudgeOptions& message);

// Fills an empty response.
void JudgementToProto(const WarmJudgement& judgement, v1::JudgeWarmResponse* message);

}  // namespace torqsched

#endif  // TORQSCHED_SRC_WIRE_JUDGE_WIRE_H_

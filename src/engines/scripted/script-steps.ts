// The steps of a rule: what a member is shown to do before it answers. Each kind has a key of its own, so that a script
// that is wrong is refused at the very key.
import * as v from 'valibot';
import type { JsonValue } from '../../core/json.js';

export const Milliseconds = v.pipe(v.number(), v.integer(), v.minValue(0), v.maxValue(600_000));

/** How long it lasts until the next step, in milliseconds; without it, a share of the rule's pause. */
const pauseMs = v.optional(Milliseconds);

const Think = v.strictObject({ think: v.string(), pauseMs });

const Plan = v.strictObject({
  plan: v.array(v.strictObject({ text: v.string(), status: v.picklist(['pending', 'in_progress', 'completed']) })),
  pauseMs,
});

const Trouble = v.strictObject({ error: v.string(), pauseMs });

/** As many numbered thoughts as fast as they can be reported. */
const Flood = v.strictObject({
  flood: v.pipe(v.number(), v.integer(), v.minValue(1), v.maxValue(100_000)),
  text: v.optional(v.string()),
  pauseMs,
});

const Rest = v.strictObject({ pauseMs: Milliseconds });

const call = v.pipe(v.string(), v.nonEmpty());
// A script is JSON already when it comes here.
const input = v.optional(v.custom<JsonValue>(() => true));

/** A call of one of the team's tools. */
const RealCall = v.strictObject({ call, input, pauseMs });

/** A call that the script only tells of, with what is done inside of it. */
const PretendedCall = v.strictObject({
  call,
  input,
  result: v.string(),
  isError: v.optional(v.boolean()),
  steps: v.optional(v.array(v.lazy((): typeof Step => Step))),
  pauseMs,
});

type Timed = { readonly pauseMs?: number | undefined };
export type RealCall = v.InferOutput<typeof RealCall>;
export type PretendedCall = Timed & {
  readonly call: string;
  readonly input?: JsonValue | undefined;
  readonly result: string;
  readonly isError?: boolean | undefined;
  readonly steps?: readonly Step[] | undefined;
};
export type Step =
  | v.InferOutput<typeof Think>
  | v.InferOutput<typeof Plan>
  | v.InferOutput<typeof Trouble>
  | v.InferOutput<typeof Flood>
  | v.InferOutput<typeof Rest>
  | RealCall
  | PretendedCall;

const NoStep = v.custom<never>(() => false, 'A step has one of think, plan, call, error, flood and pauseMs');

/** By its first known key: any other key that the kind does not have is refused by name. */
export const Step: v.GenericSchema<unknown, Step> = v.lazy((value) => {
  const has = (key: string): boolean => typeof value === 'object' && value !== null && Object.hasOwn(value, key);
  if (has('think')) return Think;
  if (has('plan')) return Plan;
  if (has('call')) return has('result') ? PretendedCall : RealCall;
  if (has('error')) return Trouble;
  if (has('flood')) return Flood;
  return has('pauseMs') ? Rest : NoStep;
});

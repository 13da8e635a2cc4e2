// The form of a team: what it shows of a team file, and what a person asks to be written there. Every text that the
// panel sends is bounded.
import * as v from 'valibot';
import { LIMIT_KEYS } from '../core/team/limits.js';
import { LimitView } from './view.js';

/** The most that a form carries; lengths are UTF-16 code units. */
export const FORM_BOUNDS = {
  members: 64,
  key: 80,
  id: 128,
  name: 256,
  role: 2_000,
  brief: 100_000,
  icon: 128,
  engine: 256,
  stamp: 128,
} as const;

const text = v.string();
const bounded = (most: number) => v.pipe(text, v.maxLength(most));

export const MEMBER_FIELDS = ['id', 'name', 'role', 'brief', 'icon', 'engine'] as const;
export type MemberField = (typeof MEMBER_FIELDS)[number];

export const FormMember = v.strictObject({
  /** Names the row: a member's id, for a new one whatever the panel chose. */
  key: bounded(FORM_BOUNDS.key),
  id: bounded(FORM_BOUNDS.id),
  /** Empty: made from the id. */
  name: bounded(FORM_BOUNDS.name),
  role: bounded(FORM_BOUNDS.role),
  brief: bounded(FORM_BOUNDS.brief),
  /** A codicon id, or one or two letters. Empty: letters of the name. */
  icon: bounded(FORM_BOUNDS.icon),
  /** Id of the engine. */
  engine: bounded(FORM_BOUNDS.engine),
  /** True while no file has it, so that its id can be chosen. */
  isNew: v.boolean(),
});
export type FormMember = v.InferOutput<typeof FormMember>;

const LimitKeyText = v.picklist(LIMIT_KEYS);
const FormMembers = v.pipe(v.array(FormMember), v.maxLength(FORM_BOUNDS.members));

export const FormProblem = v.strictObject({
  place: v.variant('kind', [
    v.strictObject({ kind: v.literal('team') }),
    v.strictObject({ kind: v.literal('lead') }),
    v.strictObject({ kind: v.literal('member'), key: text, field: v.picklist(MEMBER_FIELDS) }),
    v.strictObject({ kind: v.literal('limit'), key: LimitKeyText }),
  ]),
  /** What is wrong, in words for the person. */
  message: text,
});
export type FormProblem = v.InferOutput<typeof FormProblem>;

/** The form as the host makes it from the file. */
export const TeamForm = v.strictObject({
  teamId: text,
  name: text,
  /** Names the text of the file that the form was made from. */
  stamp: text,
  /** `file`: the file at `path`, relative to its workspace. `new`: saving makes it there. */
  place: v.variant('kind', [
    v.strictObject({ kind: v.literal('file'), path: text }),
    v.strictObject({ kind: v.literal('new'), path: text, from: v.picklist(['demo', 'conversation']) }),
  ]),
  /** False where the open conversation runs with another version of the team than the file's. */
  isInForce: v.boolean(),
  /** Key of the lead's row. */
  lead: text,
  members: v.array(FormMember),
  /** `written`: what the file says, null where it sets nothing; `others`: what is in force without the file. */
  limits: v.array(v.strictObject({ key: LimitKeyText, written: v.nullable(v.number()), others: LimitView })),
  /** The engines of this installation. */
  engines: v.array(v.strictObject({ id: text, label: text })),
  problems: v.array(FormProblem),
});
export type TeamForm = v.InferOutput<typeof TeamForm>;

/** What the panel asks about the form, besides `configureTeam`, which opens it. */
export const TEAM_FORM_PANEL_MESSAGES = [
  v.strictObject({
    type: v.literal('saveTeam'),
    teamId: bounded(FORM_BOUNDS.id),
    stamp: bounded(FORM_BOUNDS.stamp),
    lead: bounded(FORM_BOUNDS.key),
    members: FormMembers,
    limits: v.pipe(
      v.array(v.strictObject({ key: LimitKeyText, value: v.nullable(v.number()) })),
      v.maxLength(LIMIT_KEYS.length),
    ),
    /** For conversations that begin later, or for the open one as well. */
    apply: v.picklist(['new', 'running']),
  }),
  /** Shows the file itself in an editor. */
  v.strictObject({ type: v.literal('showTeamFile'), teamId: bounded(FORM_BOUNDS.id) }),
] as const;
export type SaveTeam = v.InferOutput<(typeof TEAM_FORM_PANEL_MESSAGES)[0]>;

export const TEAM_FORM_HOST_MESSAGES = [
  /** Opens the form; for one that is open, what the file says now. */
  v.strictObject({ type: v.literal('teamForm'), form: TeamForm }),
  /** It is done, and the form can close. */
  v.strictObject({ type: v.literal('teamFormSaved'), teamId: text }),
  /** It was not done. `form`: what the file says now, where that is not what the form was made from. */
  v.strictObject({
    type: v.literal('teamFormRefused'),
    teamId: text,
    problems: v.array(FormProblem),
    form: v.nullable(TeamForm),
  }),
] as const;

// One member in the form: a row that opens to its fields.
import type { JSX } from 'preact';
import { initialsIcon, memberIcon } from '../../src/core/team/member-icon.js';
import { capitalized } from '../../src/core/team/slug.js';
import {
  FORM_BOUNDS,
  type FormMember,
  type FormProblem,
  type MemberField,
  type TeamForm,
} from '../../src/protocol/team-form.js';
import { PlainButton, ToolButton } from '../ui/button.js';
import { ChoiceField, LineField, TextField } from '../ui/field.js';
import { Avatar, Icon } from '../ui/icon.js';
import type { FormInput } from './form.js';
import { nameOf } from './problems.js';

export interface MemberRowProps {
  readonly row: FormMember;
  readonly tint: number;
  readonly isLead: boolean;
  readonly isOpen: boolean;
  readonly isFirst: boolean;
  readonly isLast: boolean;
  readonly isBusy: boolean;
  readonly engines: TeamForm['engines'];
  readonly problems: readonly FormProblem[];
  readonly act: (input: FormInput) => void;
}

export function MemberRow(props: MemberRowProps): JSX.Element {
  const { row, isLead, isOpen, problems, act } = props;
  const { key } = row;
  const name = nameOf(row);
  const title = name === '' ? 'New member' : name;
  const mine = problems.filter(({ place }) => place.kind === 'member' && place.key === key);
  return (
    <li class="form-member" data-row={key}>
      <div class="form-member-head">
        <PlainButton class="form-member-toggle" expanded={isOpen} onClick={() => act({ kind: 'toggle', key })}>
          <Icon id={isOpen ? 'chevron-down' : 'chevron-right'} />
          <Avatar icon={iconOf(row, name)} tint={props.tint} />
          <span class="form-member-lines">
            <span class="form-member-name">
              <span class="clip">{title}</span>
              {isLead ? <span class="badge">Lead</span> : null}
              {mine.length === 0 ? null : (
                <span class="form-member-bad">
                  <Icon id="error" />
                  <span class="hidden">has problems</span>
                </span>
              )}
            </span>
            <span class="clip quiet">{row.role}</span>
          </span>
        </PlainButton>
        <div class="form-member-tools" role="group" aria-label={title}>
          <ToolButton
            label={`Move ${title} up`}
            icon="arrow-up"
            disabled={props.isFirst || props.isBusy}
            onClick={() => act({ kind: 'move', key, by: -1 })}
          />
          <ToolButton
            label={`Move ${title} down`}
            icon="arrow-down"
            disabled={props.isLast || props.isBusy}
            onClick={() => act({ kind: 'move', key, by: 1 })}
          />
          <ToolButton
            label={`Remove ${title}`}
            icon="trash"
            disabled={props.isBusy}
            onClick={() => act({ kind: 'remove', key })}
          />
        </div>
      </div>
      {isOpen ? <Fields {...props} title={title} problems={mine} /> : null}
    </li>
  );
}

function Fields({
  row,
  isBusy,
  engines,
  problems,
  act,
  title,
}: MemberRowProps & { readonly title: string }): JSX.Element {
  const { key } = row;
  const field = (name: MemberField) => ({
    value: row[name],
    disabled: isBusy,
    problem:
      problems
        .flatMap(({ place, message }) => (place.kind === 'member' && place.field === name ? [message] : []))
        .join(' ') || null,
    onInput: (value: string) => act({ kind: 'field', key, field: name, value }),
  });
  const known = engines.some(({ id }) => id === row.engine);
  const choices =
    known || row.engine === '' ? engines : [...engines, { id: row.engine, label: `${row.engine} (not available)` }];
  return (
    <div class="form-member-fields" role="group" aria-label={title}>
      {row.isNew ? (
        <LineField
          label="Id"
          hint="Names the member in addresses and mail; it cannot be changed later."
          maxLength={FORM_BOUNDS.id}
          {...field('id')}
        />
      ) : (
        <IdLine id={row.id} problem={field('id').problem} />
      )}
      <LineField label="Name" placeholder={capitalized(row.id)} maxLength={FORM_BOUNDS.name} {...field('name')} />
      <LineField label="Role" maxLength={FORM_BOUNDS.role} {...field('role')} />
      <TextField
        label="Brief"
        hint="What the member is told to do."
        rows={5}
        maxLength={FORM_BOUNDS.brief}
        {...field('brief')}
      />
      <LineField
        label="Icon"
        hint="A codicon, such as edit, or one or two letters. Empty: letters of the name."
        maxLength={FORM_BOUNDS.icon}
        {...field('icon')}
      >
        <Avatar icon={iconOf(row, nameOf(row))} tint={-1} />
      </LineField>
      <ChoiceField label="Engine" choices={choices} {...field('engine')} />
    </div>
  );
}

/** The id of a member that exists: part of the record, so it stays. */
function IdLine({ id, problem }: { readonly id: string; readonly problem: string | null }): JSX.Element {
  return (
    <p class="form-id quiet">
      Id: <code>{id}</code>
      {problem === null ? null : <span class="form-id-problem">{problem}</span>}
    </p>
  );
}

function iconOf({ icon }: FormMember, name: string) {
  return memberIcon(icon) ?? initialsIcon(name);
}

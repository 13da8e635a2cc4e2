// Labelled fields of a form: a line, a text, a choice. Native ones in VS Code's colours: the component library's hide
// composition events behind a shadow root, and its list of choices is cut off at the edge of what scrolls.
import type { ComponentChildren, JSX } from 'preact';
import { useId } from 'preact/hooks';

interface FieldProps {
  readonly label: string;
  /** What can be written, beside the label's field. */
  readonly hint?: string | undefined;
  /** What is wrong; null when nothing is. */
  readonly problem: string | null;
  readonly value: string;
  readonly disabled?: boolean;
  readonly onInput: (value: string) => void;
}

export interface LineFieldProps extends FieldProps {
  readonly placeholder?: string;
  readonly maxLength?: number;
  /** For numbers: the keyboard that a phone shows. */
  readonly numeric?: boolean;
  /** Stands before the field. */
  readonly children?: ComponentChildren;
}

/** One line of text. Enter does nothing in it, so that one that ends a composition cannot do anything (WX-7). */
export function LineField(props: LineFieldProps): JSX.Element {
  const id = useId();
  return (
    <Frame id={id} {...props}>
      <span class="field-line">
        {props.children}
        <input
          {...described(id, props)}
          type="text"
          value={props.value}
          autocomplete="off"
          spellcheck={false}
          disabled={props.disabled ?? false}
          onInput={(event) => props.onInput(event.currentTarget.value)}
          {...(props.placeholder === undefined ? {} : { placeholder: props.placeholder })}
          {...(props.maxLength === undefined ? {} : { maxLength: props.maxLength })}
          {...(props.numeric === true ? { inputMode: 'decimal' as const } : {})}
        />
      </span>
    </Frame>
  );
}

export interface TextFieldProps extends FieldProps {
  readonly rows: number;
  readonly maxLength: number;
}

/** Several lines of text. */
export function TextField(props: TextFieldProps): JSX.Element {
  const id = useId();
  return (
    <Frame id={id} {...props}>
      <textarea
        {...described(id, props)}
        rows={props.rows}
        maxLength={props.maxLength}
        value={props.value}
        disabled={props.disabled ?? false}
        onInput={(event) => props.onInput(event.currentTarget.value)}
      />
    </Frame>
  );
}

export interface ChoiceFieldProps extends FieldProps {
  readonly choices: readonly { readonly id: string; readonly label: string }[];
}

/** One of several. A value that is none of them shows as no choice. */
export function ChoiceField(props: ChoiceFieldProps): JSX.Element {
  const id = useId();
  const isKnown = props.choices.some((choice) => choice.id === props.value);
  return (
    <Frame id={id} {...props}>
      <span class="field-choice">
        <select
          {...described(id, props)}
          value={props.value}
          disabled={props.disabled ?? false}
          onChange={(event) => props.onInput(event.currentTarget.value)}
        >
          {isKnown ? null : <option value={props.value} />}
          {props.choices.map((choice) => (
            <option key={choice.id} value={choice.id}>
              {choice.label}
            </option>
          ))}
        </select>
        <span class="codicon codicon-chevron-down" aria-hidden="true" />
      </span>
    </Frame>
  );
}

interface FrameProps extends FieldProps {
  readonly id: string;
  readonly children?: ComponentChildren;
}

function Frame({ id, label, hint, problem, children }: FrameProps): JSX.Element {
  return (
    <div class={problem === null ? 'field' : 'field field-bad'}>
      <label for={id}>{label}</label>
      {children}
      {hint === undefined ? null : (
        <p class="field-hint" id={`${id}-hint`}>
          {hint}
        </p>
      )}
      {problem === null ? null : (
        <p class="field-problem" id={`${id}-problem`}>
          <span class="codicon codicon-error" aria-hidden="true" />
          <span>{problem}</span>
        </p>
      )}
    </div>
  );
}

function described(id: string, { hint, problem }: FieldProps) {
  const by = [hint === undefined ? [] : [`${id}-hint`], problem === null ? [] : [`${id}-problem`]].flat();
  return {
    id,
    'aria-invalid': problem !== null,
    ...(by.length === 0 ? {} : { 'aria-describedby': by.join(' ') }),
  };
}

// The text area of the composer: a native one with VS Code's input colours. The component library's text area hides
// composition events and the caret behind a shadow root, and neither grows nor takes the list's ARIA attributes.
import type { JSX, Ref } from 'preact';

export interface TextAreaProps {
  readonly area: Ref<HTMLTextAreaElement>;
  readonly label: string;
  readonly placeholder: string;
  readonly value: string;
  /** Id of the open list of choices, and of its chosen option. */
  readonly listId: string | null;
  readonly optionId: string | null;
  readonly describedBy: string;
  readonly onInput: (text: string) => void;
  readonly onKeyDown: (event: KeyboardEvent) => void;
  readonly onCaret: () => void;
  readonly onBlur: () => void;
}

export function TextArea(props: TextAreaProps): JSX.Element {
  return (
    <textarea
      ref={props.area}
      class="text-area"
      rows={1}
      aria-label={props.label}
      placeholder={props.placeholder}
      value={props.value}
      aria-autocomplete="list"
      aria-haspopup="listbox"
      aria-describedby={props.describedBy}
      {...(props.listId === null ? {} : { 'aria-controls': props.listId })}
      {...(props.optionId === null ? {} : { 'aria-activedescendant': props.optionId })}
      onInput={(event) => props.onInput(event.currentTarget.value)}
      onKeyDown={props.onKeyDown}
      onSelect={props.onCaret}
      onBlur={props.onBlur}
    />
  );
}

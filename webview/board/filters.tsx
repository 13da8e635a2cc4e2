// Whose tasks are shown, and which words they must have.
import type { JSX } from 'preact';
import { isComposed } from '../composer/keys.js';
import type { BoardDesk } from './desk.js';
import { NOBODY, type BoardFilter } from './columns.js';
import { nameOf, PERSON, type Faces } from './owner.js';

export interface FiltersProps {
  readonly desk: BoardDesk;
  readonly filter: BoardFilter;
  readonly faces: Faces;
}

export function Filters({ desk, filter, faces }: FiltersProps): JSX.Element {
  const set = (change: Partial<BoardFilter>): void => desk.act({ kind: 'filter', filter: { ...filter, ...change } });
  const owners = [PERSON, ...faces.keys()];
  const isKnown = filter.owner === '' || filter.owner === NOBODY || owners.includes(filter.owner);
  return (
    <div class="board-filters field" role="search" aria-label="Filter tasks">
      <span class="field-choice">
        <select
          aria-label="Owner"
          value={isKnown ? filter.owner : ''}
          onChange={(event) => set({ owner: event.currentTarget.value })}
        >
          <option value="">Everybody’s tasks</option>
          <option value={NOBODY}>Nobody’s</option>
          {owners.map((id) => (
            <option key={id} value={id}>
              {id === PERSON ? 'Yours' : nameOf(id, faces)}
            </option>
          ))}
        </select>
        <span class="codicon codicon-chevron-down" aria-hidden="true" />
      </span>
      <input
        type="text"
        aria-label="Words in tasks"
        placeholder="Filter"
        autocomplete="off"
        spellcheck={false}
        value={filter.text}
        onInput={(event) => set({ text: event.currentTarget.value })}
        onKeyDown={(event) => {
          if (event.key !== 'Escape' || isComposed(event) || filter.text === '') return;
          event.preventDefault();
          event.stopPropagation();
          set({ text: '' });
        }}
      />
    </div>
  );
}

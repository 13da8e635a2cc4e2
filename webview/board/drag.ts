// Cards that are carried with the mouse from one column to another. Pointer events, not the browser's own dragging: that
// one is also VS Code's, for files and tabs, and it leaves the page.
import { signal, type ReadonlySignal } from '@preact/signals';
import { useEffect, useRef, useState } from 'preact/hooks';
import { TASK_COLUMNS, type TaskColumn } from '../../src/protocol/board.js';

/** How far the mouse goes before a click becomes a drag, in pixels. */
const START_PX = 5;

export interface Drag {
  readonly taskId: string;
  /** The column under the mouse. */
  readonly over: TaskColumn | null;
  readonly x: number;
  readonly y: number;
}

/**
 * @param root what holds the columns: cards have `data-task`, columns `data-column`
 * @param onDrop called where a card is let go over a column
 * @returns what is carried; null while nothing is
 */
export function useDrag(
  root: { readonly current: HTMLElement | null },
  onDrop: (taskId: string, column: TaskColumn) => void,
): ReadonlySignal<Drag | null> {
  const [drag] = useState(() => signal<Drag | null>(null));
  const drop = useRef(onDrop);
  drop.current = onDrop;
  useEffect(() => {
    const box = root.current;
    if (box === null) return;
    let from: { readonly taskId: string; readonly x: number; readonly y: number } | null = null;
    let isCarried = false;
    const end = (): void => {
      from = null;
      drag.value = null;
    };
    const down = (event: PointerEvent): void => {
      isCarried = false;
      const face = event.target instanceof Element ? event.target.closest('.card-main') : null;
      const taskId = face?.closest<HTMLElement>('[data-task]')?.dataset['task'];
      if (event.button === 0 && event.pointerType === 'mouse' && taskId !== undefined) {
        from = { taskId, x: event.clientX, y: event.clientY };
      }
    };
    const move = (event: PointerEvent): void => {
      if (from === null) return;
      // The button was let go outside of the window.
      if ((event.buttons & 1) === 0) {
        end();
        return;
      }
      const { clientX: x, clientY: y } = event;
      if (drag.value === null && Math.hypot(x - from.x, y - from.y) < START_PX) return;
      isCarried = true;
      drag.value = { taskId: from.taskId, over: columnAt(x, y), x, y };
    };
    const up = (): void => {
      const { value } = drag;
      end();
      if (value !== null && value.over !== null) drop.current(value.taskId, value.over);
    };
    // The click that ends a drag opens nothing.
    const click = (event: MouseEvent): void => {
      if (isCarried) event.stopPropagation();
      isCarried = false;
    };
    const key = (event: KeyboardEvent): void => {
      if (event.key !== 'Escape' || drag.value === null) return;
      event.stopPropagation();
      end();
    };
    box.addEventListener('pointerdown', down);
    box.addEventListener('click', click, { capture: true });
    window.addEventListener('pointermove', move);
    window.addEventListener('pointerup', up);
    window.addEventListener('pointercancel', end);
    window.addEventListener('keydown', key, { capture: true });
    return () => {
      box.removeEventListener('pointerdown', down);
      box.removeEventListener('click', click, { capture: true });
      window.removeEventListener('pointermove', move);
      window.removeEventListener('pointerup', up);
      window.removeEventListener('pointercancel', end);
      window.removeEventListener('keydown', key, { capture: true });
    };
  }, []);
  return drag;
}

function columnAt(x: number, y: number): TaskColumn | null {
  const name = document.elementFromPoint(x, y)?.closest<HTMLElement>('[data-column]')?.dataset['column'];
  return TASK_COLUMNS.find((column) => column === name) ?? null;
}

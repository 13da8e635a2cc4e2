// Stands where the posts will be while they are on their way.
import type { JSX } from 'preact';

export function Skeleton(): JSX.Element {
  return (
    <div class="skeleton" role="status">
      <span class="hidden">Loading posts…</span>
      {[0, 1, 2].map((line) => (
        <div key={line} class="skeleton-post" aria-hidden="true">
          <span class="skeleton-face" />
          <span class="skeleton-lines">
            <i />
            <i />
          </span>
        </div>
      ))}
    </div>
  );
}

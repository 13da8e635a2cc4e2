// The panel's regions. Each has its own boundary, so that a fault in one leaves the others usable.
import { useSignal } from '@preact/signals';
import type { JSX } from 'preact';
import { useEffect } from 'preact/hooks';
import { BoardRegion } from './board/board.js';
import { Composer } from './composer/composer.js';
import { Problem } from './problem.js';
import { Side } from './roster/side.js';
import type { Panel } from './store/panel.js';
import { Banners } from './transcript/banners.js';
import { TeamFormRegion } from './team-form/team-form.js';
import { Header } from './transcript/header.js';
import { Transcript } from './transcript/transcript.js';
import { Boundary } from './ui/boundary.js';
import { Button } from './ui/button.js';

export function App({ panel }: { readonly panel: Panel }): JSX.Element {
  const sideOpen = useSignal(false);
  const conversation = panel.conversation.value;
  const problem = panel.problem.value;
  const hasForm = panel.form.state.value !== null;
  const hasBoard = panel.board.state.value.isOpen;
  // In a narrow panel the way to them leads through the side, which would cover them.
  useEffect(() => {
    if (hasForm || hasBoard) sideOpen.value = false;
  }, [hasForm, hasBoard]);
  const reload = (): void => panel.act({ kind: 'shown' });
  if (problem !== null) return <Problem panel={panel} problem={problem} />;
  if (conversation === null) return <Waiting onRetry={reload} />;
  return (
    <div
      class={sideOpen.value ? 'app side-open' : 'app'}
      onKeyDown={(event) => {
        if (event.key === 'Escape') sideOpen.value = false;
      }}
    >
      <aside class="side" aria-label="Rooms and team">
        <Boundary region="The team" onReload={reload}>
          <Side
            panel={panel}
            onChosen={() => {
              sideOpen.value = false;
              panel.form.leave();
              panel.board.act({ kind: 'close' });
            }}
          />
        </Boundary>
      </aside>
      <main class="main" inert={hasForm || hasBoard}>
        <Boundary region="The room" onReload={reload}>
          <Header
            panel={panel}
            sideOpen={sideOpen.value}
            onSide={() => {
              sideOpen.value = !sideOpen.value;
            }}
          />
          <Banners panel={panel} />
        </Boundary>
        <Boundary region="The transcript" onReload={reload}>
          <Transcript key={`${conversation.runId}/${panel.roomId.value ?? ''}`} panel={panel} />
        </Boundary>
        <Boundary region="The composer" onReload={reload}>
          <Composer panel={panel} />
        </Boundary>
      </main>
      <Boundary region="The task board" onReload={() => panel.board.act({ kind: 'close' })}>
        <BoardRegion panel={panel} />
      </Boundary>
      <Boundary region="The form of the team" onReload={() => panel.form.drop()}>
        <TeamFormRegion desk={panel.form} />
      </Boundary>
    </div>
  );
}

/** Nothing was heard yet. The words appear when it takes long enough to wonder. */
function Waiting({ onRetry }: { readonly onRetry: () => void }): JSX.Element {
  return (
    <main class="waiting" aria-busy="true">
      <div class="progress" aria-hidden="true" />
      <div class="waiting-words">
        <p>Waiting for Teamroom to open the conversation…</p>
        <Button label="Ask Again" onClick={onRetry} />
      </div>
    </main>
  );
}

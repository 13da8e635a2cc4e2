// The left side: the team's name, its rooms, its members and what each is doing.
import type { JSX } from 'preact';
import type { RoomView } from '../../src/protocol/view.js';
import { BoardRow } from '../board/board-button.js';
import type { Panel } from '../store/panel.js';
import { PlainButton, ToolButton } from '../ui/button.js';
import { Icon } from '../ui/icon.js';
import { Member } from './member.js';

export interface SideProps {
  readonly panel: Panel;
  /** Called when something was chosen: a narrow panel closes the side then. */
  readonly onChosen: () => void;
}

export function Side({ panel, onChosen }: SideProps): JSX.Element | null {
  const conversation = panel.conversation.value;
  const roomId = panel.roomId.value;
  const unread = panel.unread.value;
  const isBoard = panel.board.state.value.isOpen;
  if (conversation === null) return null;
  return (
    <>
      <h2 class="team-name" title={conversation.teamName}>
        {conversation.teamName}
      </h2>
      <nav aria-labelledby="rooms-title">
        <div class="side-head">
          <h3 class="side-title" id="rooms-title">
            Rooms
          </h3>
          <ToolButton label="New Room" icon="add" onClick={() => panel.tell({ type: 'newRoom' })} />
        </div>
        <ul class="rooms">
          {conversation.rooms.map((room) => (
            <li key={room.id}>
              <PlainButton
                class={(unread[room.id] ?? 0) > 0 ? 'room unread' : 'room'}
                current={room.id === roomId && !isBoard}
                title={room.name}
                onClick={() => {
                  panel.flush();
                  panel.act({ kind: 'openRoom', roomId: room.id });
                  onChosen();
                }}
              >
                <RoomMark kind={room.kind} />
                <span class="clip">{room.name}</span>
                {(unread[room.id] ?? 0) > 0 ? (
                  <span class="count">
                    {unread[room.id]}
                    <span class="hidden"> new</span>
                  </span>
                ) : null}
              </PlainButton>
            </li>
          ))}
        </ul>
        <BoardRow panel={panel} onOpen={onChosen} />
      </nav>
      <section class="roster" aria-labelledby="team-title">
        <div class="side-head">
          <h3 class="side-title" id="team-title">
            Team
          </h3>
          <ToolButton
            label="Configure Team"
            icon="settings-gear"
            onClick={() => panel.tell({ type: 'configureTeam' })}
          />
        </div>
        <ul class="members">
          {conversation.members.map((member, tint) => (
            <Member key={member.id} panel={panel} member={member} tint={tint} onChosen={onChosen} />
          ))}
        </ul>
      </section>
    </>
  );
}

/** What kind of room it is, as a sign and as words. */
export function RoomMark({ kind }: { readonly kind: RoomView['kind'] }): JSX.Element {
  if (kind === 'public') {
    return (
      <span class="room-mark" aria-hidden="true">
        #
      </span>
    );
  }
  return (
    <span class="room-mark">
      <Icon id={kind === 'private' ? 'lock' : 'comment'} />
      <span class="hidden">{kind === 'private' ? 'Private room' : 'Direct room'} </span>
    </span>
  );
}

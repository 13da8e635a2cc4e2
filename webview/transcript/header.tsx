// The head of the room: its name, who is in it, its file. In a narrow panel it also opens the side.
import type { JSX } from 'preact';
import { BoardButton } from '../board/board-button.js';
import { RoomMark } from '../roster/side.js';
import type { Panel } from '../store/panel.js';
import { Switcher } from '../switcher/switcher.js';
import { Boundary } from '../ui/boundary.js';
import { PlainButton, ToolButton } from '../ui/button.js';
import { Avatar, Icon } from '../ui/icon.js';
import { RoomMenu } from './room-menu.js';
import { Usage } from './usage.js';
import { STATUS_WORDS, tintOf } from '../words.js';

export interface HeaderProps {
  readonly panel: Panel;
  readonly sideOpen: boolean;
  readonly onSide: () => void;
}

const FACES = 3;

export function Header({ panel, sideOpen, onSide }: HeaderProps): JSX.Element | null {
  const room = panel.room.value;
  const members = panel.members.value;
  const inRoom = panel.roomMembers.value;
  if (room === null) return null;
  const names = inRoom.map((member) => member.name).join(', ');
  const active = inRoom.filter((member) => member.status !== 'idle');
  // Those who do something first: in a narrow panel they are all that is seen of the roster.
  const faces = [...active, ...inRoom.filter((member) => member.status === 'idle')];
  const news = active.map((member) => `${member.name}: ${STATUS_WORDS[member.status]}`).join(', ');
  return (
    <header class="room-head">
      <PlainButton
        class="side-toggle"
        expanded={sideOpen}
        label={`Rooms and team. ${news === '' ? names : news}`}
        title={news === '' ? names : news}
        onClick={onSide}
      >
        <Icon id={sideOpen ? 'chevron-up' : 'chevron-down'} />
        <span class="faces">
          {faces.slice(0, FACES).map((member) => (
            <Avatar key={member.id} icon={member.icon} tint={tintOf(member.id, members)} status={member.status} />
          ))}
        </span>
        {inRoom.length > FACES ? <span class="quiet">+{inRoom.length - FACES}</span> : null}
      </PlainButton>
      <div class="room-names">
        <h1 class="room-name" title={room.name}>
          <RoomMark kind={room.kind} />
          <span class="clip">{room.name}</span>
        </h1>
        <div class="room-line">
          <Switcher panel={panel} />
          <p class="room-members clip" title={names}>
            {names} and you
          </p>
        </div>
      </div>
      <div class="tools" role="group" aria-label="Room and conversation">
        <Boundary region="Usage" onReload={() => undefined}>
          <Usage panel={panel} />
        </Boundary>
        <BoardButton panel={panel} />
        <span class="room-file">
          <ToolButton
            label="Open Room File"
            icon="go-to-file"
            words
            onClick={() => panel.tell({ type: 'openRoomFile', roomId: room.id })}
          />
          <ToolButton
            label="Reveal Room File"
            icon="folder-opened"
            words
            onClick={() => panel.tell({ type: 'revealRoomFile', roomId: room.id })}
          />
        </span>
        <RoomMenu panel={panel} roomId={room.id} />
      </div>
      {inRoom.some((member) => member.status === 'running') ? <div class="progress" aria-hidden="true" /> : null}
    </header>
  );
}

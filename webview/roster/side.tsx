// The left side: the team's name, its rooms, its members and what each is doing.
import type { JSX } from 'preact';
import { isMarkedLead, type MemberView, type RoomView } from '../../src/protocol/view.js';
import type { Panel } from '../store/panel.js';
import { PlainButton } from '../ui/button.js';
import { Avatar, Icon } from '../ui/icon.js';
import { STATUS_WORDS } from '../words.js';
import { TurnActions } from './turn-actions.js';

export interface SideProps {
  readonly panel: Panel;
  /** Called when something was chosen: a narrow panel closes the side then. */
  readonly onChosen: () => void;
}

export function Side({ panel, onChosen }: SideProps): JSX.Element | null {
  const conversation = panel.conversation.value;
  const roomId = panel.roomId.value;
  const unread = panel.unread.value;
  if (conversation === null) return null;
  return (
    <>
      <h2 class="team-name" title={conversation.teamName}>
        {conversation.teamName}
      </h2>
      <nav aria-labelledby="rooms-title">
        <h3 class="side-title" id="rooms-title">
          Rooms
        </h3>
        <ul class="rooms">
          {conversation.rooms.map((room) => (
            <li key={room.id}>
              <PlainButton
                class={(unread[room.id] ?? 0) > 0 ? 'room unread' : 'room'}
                current={room.id === roomId}
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
      </nav>
      <section class="roster" aria-labelledby="team-title">
        <h3 class="side-title" id="team-title">
          Team
        </h3>
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

interface MemberProps extends SideProps {
  readonly member: MemberView;
  readonly tint: number;
}

function Member({ panel, member, tint, onChosen }: MemberProps): JSX.Element {
  return (
    <li class={`member is-${member.status}`}>
      <PlainButton
        class="member-main"
        title={`Mention ${member.name} · ${member.engine}${member.failure === null ? '' : `\n${member.failure}`}`}
        onClick={() => {
          panel.insert(`@${member.name}`);
          onChosen();
        }}
      >
        <Avatar icon={member.icon} tint={tint} status={member.status} />
        <span class="member-lines">
          <span class="member-line">
            <span class="member-name clip">{member.name}</span>
            {isMarkedLead(member) ? <span class="badge">Lead</span> : null}
            <span class="member-status">{STATUS_WORDS[member.status]}</span>
          </span>
          <span class="member-role clip">{member.role}</span>
        </span>
      </PlainButton>
      {member.status === 'interrupted' ? <TurnActions panel={panel} member={member} /> : null}
    </li>
  );
}

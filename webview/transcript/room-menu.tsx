// The rest of what can be done with the open room and its team.
import type { JSX } from 'preact';
import type { PanelMessage } from '../../src/protocol/messages.js';
import type { Panel } from '../store/panel.js';
import { Icon } from '../ui/icon.js';
import { MenuItem, Popup } from '../ui/popup.js';

interface Entry {
  readonly label: string;
  readonly icon: string;
  readonly message: PanelMessage;
}

function entriesOf(roomId: string): readonly Entry[] {
  return [
    { label: 'New Room', icon: 'add', message: { type: 'newRoom' } },
    { label: 'Configure Team', icon: 'settings-gear', message: { type: 'configureTeam' } },
    { label: 'Open Room as Text', icon: 'file', message: { type: 'openAsText', roomId } },
    // A narrow panel has no room for these in its head.
    { label: 'Open Room File', icon: 'go-to-file', message: { type: 'openRoomFile', roomId } },
    { label: 'Reveal Room File', icon: 'folder-opened', message: { type: 'revealRoomFile', roomId } },
  ];
}

export function RoomMenu({ panel, roomId }: { readonly panel: Panel; readonly roomId: string }): JSX.Element {
  return (
    <Popup class="tool" label="More Room Actions" role="menu" face={<Icon id="ellipsis" />}>
      {(close) =>
        entriesOf(roomId).map(({ label, icon, message }) => (
          <MenuItem
            key={label}
            label={label}
            icon={icon}
            onPick={() => {
              close();
              panel.flush();
              panel.tell(message);
            }}
          />
        ))
      }
    </Popup>
  );
}

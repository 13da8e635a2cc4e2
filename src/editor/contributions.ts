// Everything that package.json contributes, named once. A test compares these names with the manifest, so that a
// command without an implementation, or the reverse, cannot ship.

export const COMMANDS = {
  openPanel: 'teamroom.openPanel',
  openRoomFile: 'teamroom.openRoomFile',
  revealRoomFile: 'teamroom.revealRoomFile',
  resumeTeam: 'teamroom.resumeTeam',
  recoverConversations: 'teamroom.recoverConversations',
  showLog: 'teamroom.showLog',
} as const;
export type CommandId = (typeof COMMANDS)[keyof typeof COMMANDS];

export const VIEWS = {
  home: 'teamroom.home',
  rooms: 'teamroom.rooms',
  members: 'teamroom.members',
} as const;

export const SETTINGS = {
  section: 'teamroom',
  openPanelOnStartup: 'openPanelOnStartup',
} as const;

/** View type of the panel; VS Code names its tabs `mainThreadWebview-` + this. */
export const PANEL_VIEW_TYPE = 'teamroom.panel';

/** Scheme of the read-only documents that show a room's file. */
export const ROOM_SCHEME = 'teamroom';

/** Keys in the workspace's memento. */
export const MEMENTO = {
  /** Run id of the conversation that is open. */
  conversation: 'conversation',
  /** Id of the room that is open. */
  room: 'room',
  /** Unsent texts by room id. */
  drafts: 'drafts',
  /** True once conversations in another workspace's storage were offered here. */
  recoveryOffered: 'recoveryOffered',
} as const;

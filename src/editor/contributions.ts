// Everything that package.json contributes, named once. A test compares these names with the manifest, so that a
// command without an implementation, or the reverse, cannot ship.

export const COMMANDS = {
  openPanel: 'teamroom.openPanel',
  openBoard: 'teamroom.openBoard',
  openRoomFile: 'teamroom.openRoomFile',
  revealRoomFile: 'teamroom.revealRoomFile',
  stop: 'teamroom.stop',
  resumeTeam: 'teamroom.resumeTeam',
  interruptMember: 'teamroom.interruptMember',
  resumeTurn: 'teamroom.resumeTurn',
  retryTurn: 'teamroom.retryTurn',
  skipTurn: 'teamroom.skipTurn',
  continueChain: 'teamroom.continueChain',
  mentionMember: 'teamroom.mentionMember',
  messageDirectly: 'teamroom.messageDirectly',
  newRoom: 'teamroom.newRoom',
  newConversation: 'teamroom.newConversation',
  openConversation: 'teamroom.openConversation',
  renameConversation: 'teamroom.renameConversation',
  archiveConversation: 'teamroom.archiveConversation',
  unarchiveConversation: 'teamroom.unarchiveConversation',
  deleteConversation: 'teamroom.deleteConversation',
  exportMarkdown: 'teamroom.exportMarkdown',
  exportRecord: 'teamroom.exportRecord',
  copyConversationLink: 'teamroom.copyConversationLink',
  newTeam: 'teamroom.newTeam',
  configureTeam: 'teamroom.configureTeam',
  recoverConversations: 'teamroom.recoverConversations',
  showLog: 'teamroom.showLog',
} as const;
export type CommandId = (typeof COMMANDS)[keyof typeof COMMANDS];

export const VIEWS = {
  home: 'teamroom.home',
  rooms: 'teamroom.rooms',
  members: 'teamroom.members',
  tasks: 'teamroom.tasks',
} as const;

export const SETTINGS = {
  section: 'teamroom',
  openPanelOnStartup: 'openPanelOnStartup',
  hopCap: 'hopCap',
  costCeiling: 'costCeiling',
  turnsPerMember: 'turnsPerMember',
  concurrency: 'concurrency',
  tailMessages: 'tailMessages',
  turnTimeoutMinutes: 'turnTimeoutMinutes',
  'maximum.hopCap': 'maximum.hopCap',
  'maximum.costCeiling': 'maximum.costCeiling',
  'maximum.turnsPerMember': 'maximum.turnsPerMember',
  'maximum.concurrency': 'maximum.concurrency',
  'maximum.tailMessages': 'maximum.tailMessages',
  'maximum.turnTimeoutMinutes': 'maximum.turnTimeoutMinutes',
  acknowledgements: 'acknowledgements',
} as const;

/** What menus and commands are shown and enabled by; each is true or false. */
export const CONTEXT_KEYS = {
  /** A member is running. */
  running: 'teamroom.running',
  /** Something runs, or waits its turn to run. */
  busy: 'teamroom.busy',
  /** A turn waits for the person. */
  turnWaits: 'teamroom.turnWaits',
  /** A chain waits at a limit. */
  chainWaits: 'teamroom.chainWaits',
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

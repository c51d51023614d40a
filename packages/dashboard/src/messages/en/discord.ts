/** Messages for the page of the Discord bot. */
import { number } from '../../lib/format.ts'

export const discordText = {
  intro:
    'Your own bot in your Discord server: customers redeem keys, get the script and reset their device, and your team manages keys.',
  unavailable: {
    turned_off:
      "Discord bots are turned off on this server. Ask its operator to remove SCRIPTWARD_DISCORD_URL=off from the server's settings.",
    no_base_url:
      "Discord can't reach this server, because its public URL isn't set. Ask its operator to set SCRIPTWARD_BASE_URL. You can connect the bot already, and install it afterwards.",
  },

  connectTitle: 'Connect your bot',
  connectHint: 'The bot is an application of your own at Discord, with your name and picture.',
  createTitle: 'Create an application',
  createHint: 'Give it the name and the picture that your customers should see.',
  portal: 'Open the Discord Developer Portal',
  copyTitle: 'Copy the bot token',
  copyHint:
    'Open the page Bot of your application, select Reset Token, then Copy. No privileged intents are needed.',
  pasteTitle: 'Paste the token here',
  pasteHint: 'We fill in the rest at Discord: the address for interactions and the commands.',
  connect: 'Connect bot',
  tokenTitle: 'Connect a Discord bot',
  replaceTitle: 'Replace the bot token',
  replaceHint:
    'Reset the token of your application and paste the new one; server and staff stay. The token of another application replaces the bot.',
  token: 'Bot token',
  tokenHint:
    'From the page Bot of your application. It is encrypted, and never shown again. Anyone with the token controls the bot.',
  tokenWrong: 'Paste the token from the page Bot. It has three parts with dots between them.',
  connected: (name: string) => `${name} is connected.`,

  ready: 'Ready',
  failing: 'Needs attention',
  notInvited: 'Not in a server yet',
  notInstalled: 'Not installed',
  server: 'Server',
  none: 'None',
  installed: 'Commands registered',
  used: 'Last used',
  never: 'Never',
  address: 'Interactions endpoint',
  addressHint: 'Set at Discord automatically.',
  application: 'Application ID',
  inviteNow: 'Invite the bot to your Discord server, then install it.',
  invite: 'Invite the bot',
  chooseNow: 'The bot is in several servers. Choose the one that it works in, then install it.',
  installNow: 'The bot is in your server. Install it to register its commands.',
  next: 'To post the panel for your customers, type /panel in its channel. You need a Discord role that has the permissions Admin or Developer, under Staff.',
  lastFailure: 'The last request to Discord failed',
  install: 'Install',
  again: 'Install again',
  installDone: (server: string) => `Installed in ${server}.`,
  inviteFirst: "The bot isn't in a server yet. Invite it, then install it.",
  chooseFirst: 'Choose the server first.',
  chooseServer: 'Choose a server',
  replace: 'Replace token…',
  disconnect: 'Disconnect…',
  disconnectTitle: (name: string) => `Disconnect ${name}?`,
  disconnectWords:
    'The bot token and the list of staff are deleted, and the panel and all commands stop working. Customers keep their keys and their Discord roles.',
  disconnectNow: 'Disconnect',
  disconnected: 'Bot disconnected.',

  staff: 'Staff',
  staffHint:
    'People with these Discord roles can use the commands for staff. Each has the permissions of the role here, in this project.',
  noStaff: 'No staff yet. Until you add a role, only the commands for customers work.',
  staffNeedsServer: 'Install the bot in a server first. Then you can choose its roles here.',
  discordRole: 'Discord role',
  ownRole: 'Permissions',
  chooseRole: 'Choose a role',
  unknownRole: (id: string) => `Deleted role ${id}`,
  roleId: (id: string) => `Role ${id}`,
  roleMissing: 'Choose a Discord role.',
  addStaff: 'Add role',
  removeStaff: (name: string) => `Remove ${name}`,
  staffSaved: 'Staff saved. It applies to the next command.',

  roles: 'Roles for customers',
  rolesHint:
    'A plan can have a Discord role. Customers with a valid key on the plan get it, and lose it when the key expires, or is paused or blocked.',
  given: (count: number) =>
    count === 1 ? '1 role given by the bot.' : `${number(count)} roles given by the bot.`,
  compared: 'Compared with Discord',
  compare: 'Compare now',
  compareStarted: 'Roles are being compared. This can take a few minutes.',
  plans: 'Go to plans',
  problems: 'Roles that could not be changed',
  account: 'Discord account',
  problem: 'Role and problem',
  since: 'Since',
  problemTexts: {
    role_too_high: "The role is above the bot's. In the server settings, drag the bot's role above it.",
    no_permission: 'The bot may not manage roles. Invite it again, and allow Manage Roles.',
    member_left: 'Not in the server. The customer gets the role after joining again.',
    role_removed: 'The role was deleted on Discord. Choose another one for the plan.',
  },
} as const

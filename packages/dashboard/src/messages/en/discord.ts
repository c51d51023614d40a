/** Messages for the Discord bot's page. */
import { number } from '../../lib/format.ts'

export const discordText = {
  intro:
    'Run your own bot in your Discord server. Customers redeem keys, get the script and reset their device; your team manages keys.',
  unavailable: {
    turned_off:
      "Discord bots are turned off on this server. Ask its operator to remove SCRIPTWARD_DISCORD_URL=off from the server's settings.",
    no_base_url:
      "Discord can't reach this server, because its public URL isn't set. Ask its operator to set SCRIPTWARD_BASE_URL. You can connect the bot now and install it later.",
  },

  connectTitle: 'Connect your bot',
  connectHint: 'The bot runs as your own Discord application, with a name and avatar that you choose.',
  createTitle: 'Create an application',
  createHint: 'Choose the name and avatar that your customers will see.',
  portal: 'Open the Discord Developer Portal',
  copyTitle: 'Copy the bot token',
  copyHint:
    'On the Bot page of your application, select Reset Token, then Copy. No privileged intents are needed.',
  pasteTitle: 'Paste the token here',
  pasteHint: 'We set up the rest on Discord: the interactions endpoint and the commands.',
  connect: 'Connect bot',
  tokenTitle: 'Connect a Discord bot',
  replaceTitle: 'Replace the bot token',
  replaceHint:
    "Reset your application's token and paste the new one. Your server and staff settings are kept. A token from another application replaces the bot.",
  token: 'Bot token',
  tokenHint:
    'From the Bot page of your application. It is encrypted and never shown again. Anyone with the token can control the bot.',
  tokenWrong: 'Paste the token from the Bot page. It has three parts, separated by dots.',
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
  addressHint: 'Set automatically on Discord.',
  application: 'Application ID',
  inviteNow: 'Invite the bot to your Discord server, then install it.',
  invite: 'Invite the bot',
  chooseNow: 'The bot is in several servers. Choose one, then install the bot.',
  installNow: 'The bot is in your server. Install it to register its commands.',
  next: 'To post the panel for your customers, type /panel in the channel where you want it. Your Discord role must be listed under Staff with Admin or Developer permissions.',
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
    'The bot token and the staff list are deleted, and the panel and all commands stop working. Customers keep their keys and their Discord roles.',
  disconnectNow: 'Disconnect',
  disconnected: 'Bot disconnected.',

  staff: 'Staff',
  staffHint:
    'People with these Discord roles can use the staff commands. Choose which permissions each Discord role has in this project.',
  noStaff: 'No staff yet. Until you add a role, only the customer commands work.',
  staffNeedsServer: "Install the bot in a server first. Then you can choose the server's roles here.",
  discordRole: 'Discord role',
  ownRole: 'Permissions',
  chooseRole: 'Choose a role',
  unknownRole: (id: string) => `Deleted role ${id}`,
  roleId: (id: string) => `Role ${id}`,
  roleMissing: 'Choose a Discord role.',
  addStaff: 'Add role',
  removeStaff: (name: string) => `Remove ${name}`,
  staffSaved: 'Staff saved. Changes take effect with the next command.',

  roles: 'Customer roles',
  rolesHint:
    'A plan can have a Discord role. Customers get the role when they have a valid key on the plan, and lose it when the key expires, is paused or is blocked.',
  given: (count: number) =>
    count === 1 ? '1 role assigned by the bot.' : `${number(count)} roles assigned by the bot.`,
  compared: 'Compared with Discord',
  compare: 'Compare now',
  compareStarted: 'Comparing roles. This can take a few minutes.',
  plans: 'Go to plans',
  problems: "Roles that couldn't be changed",
  account: 'Discord account',
  problem: 'Role and problem',
  since: 'Since',
  problemTexts: {
    role_too_high: "The role is above the bot's. In the server settings, drag the bot's role above it.",
    no_permission: "The bot isn't allowed to manage roles. Invite it again with the Manage Roles permission.",
    member_left: "The customer isn't in the server. They get the role after they join.",
    role_removed: 'The role was deleted on Discord. Choose another one for the plan.',
  },
} as const

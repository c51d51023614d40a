/** The button that immediately gives customers their plan's role, before the next periodic check. */
import { problem } from './act.ts'
import type { Answer, Command, RoleState } from './command.ts'
import { NO_KEY } from './customer.ts'
import { say } from './text.ts'

const role: Command = {
  name: 'role',
  summary: "Get your plan's role",
  scope: null,
  run: async (asked) => answerTo(await asked.getRole()),
}

function answerTo(state: RoleState): Answer {
  if (state === 'has_role') return { tone: 'good', text: say`You have your plan's role.` }
  return state === 'no_key' ? NO_KEY : problem(WORDS[state])
}

const WORDS: Readonly<Record<Exclude<RoleState, 'has_role' | 'no_key'>, string>> = {
  no_role: 'Your plan has no role.',
  blocked: "Your key is blocked, so you don't get a role. Ask the staff.",
  paused: "Your key is paused. You'll get your role when it's resumed.",
  not_started: "Your key isn't valid yet. You'll get your role as soon as it is.",
  expired: 'Your key has expired. Renew it to get your role.',
  role_too_high: "I can't give this role, because it's above mine. Ask the staff to move my role up.",
  no_permission: "I'm not allowed to give roles. Ask the staff to give me the Manage Roles permission.",
  role_removed: "Your plan's role no longer exists. Ask the staff.",
  member_left: "You're not a member of the server.",
  failed: "I can't give you your role at the moment. You'll get it as soon as that's possible.",
}

export const roleCommands: readonly Command[] = [role]

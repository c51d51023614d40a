/** The account and server pages, grouped and ordered as in the sidebar. */
import { addressOf } from '../lib/address.ts'
import { text } from '../messages/text.ts'
import type { IconName } from './icons.tsx'

export type AccountPage = {
  readonly title: string
  readonly address: string
  readonly icon: IconName
  /** Permission that the page requires. */
  readonly needs?: string
}
type Group = { readonly title?: string; readonly pages: readonly AccountPage[] }

const PROJECTS: Group = {
  pages: [
    { title: text.frame.allProjects, address: addressOf.projects, icon: 'projects', needs: 'projects:read' },
  ],
}
const YOU: Group = {
  title: text.youGroup,
  pages: [{ title: text.profile, address: addressOf.profile, icon: 'profile' }],
}
const ACCOUNT: Group = {
  title: text.accountGroup,
  pages: [
    { title: text.members, address: addressOf.members, icon: 'members', needs: 'members:read' },
    { title: text.tokens, address: addressOf.tokens, icon: 'tokens', needs: 'tokens:read' },
    { title: text.accountPages.apiAccess, address: addressOf.apiAccess, icon: 'api', needs: 'account:read' },
    { title: text.accountPages.usage, address: addressOf.usage, icon: 'usage' },
    { title: text.accountPages.tier, address: addressOf.tier, icon: 'tier' },
    { title: text.audit, address: addressOf.audit, icon: 'audit', needs: 'audit:read' },
    { title: text.changes.title, address: addressOf.changes, icon: 'changes', needs: 'users:read' },
    { title: text.accountPages.danger, address: addressOf.danger, icon: 'danger' },
  ],
}
const SERVER: Group = {
  title: text.frame.operatorsGroup,
  pages: (['customers', 'tiers', 'system'] as const).map((page) => ({
    ...{ title: text.frame[page], address: addressOf[page], icon: page },
  })),
}

/** Only operators see the server's pages. Users without an account have only their profile. */
export function accountGroups({
  isOperator,
  hasAccount,
}: {
  isOperator: boolean
  hasAccount: boolean
}): readonly Group[] {
  return [...(hasAccount ? [PROJECTS, YOU, ACCOUNT] : [YOU]), ...(isOperator ? [SERVER] : [])]
}

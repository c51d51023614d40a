/** Frequently used actions. Each opens its own dialog. */
import { Command } from 'cmdk'
import { addressOf, type ProjectRoom, withQuery } from '../lib/address.ts'
import { useMe, useRefusal } from '../lib/rights.ts'
import { text } from '../messages/text.ts'
import { useProjectId } from '../queries/projects.ts'
import { type Closing, Item } from './palette-item.tsx'

type Action = { readonly name: string; readonly needs: string; readonly address: string }

export function Actions({ onClose }: Closing) {
  const projectId = useProjectId()
  const { scopes } = useMe()
  const actions = [
    ...(projectId === undefined ? [] : actionsOf(projectId)),
    ...ofAccount(),
    ...(scopes.includes('admin') ? ofOperators() : []),
  ]
  return (
    <Command.Group heading={text.frame.paletteActions}>
      {actions.map((action) => (
        <ActionItem key={action.name} action={action} onClose={onClose} />
      ))}
    </Command.Group>
  )
}

function ActionItem({ action, onClose }: Closing & { action: Action }) {
  const refusal = useRefusal(action.needs)
  return (
    <Item id={action.name} address={action.address} refusal={refusal} onClose={onClose}>
      {action.name}
    </Item>
  )
}

function actionsOf(projectId: string): readonly Action[] {
  const t = text.frame.paletteDo
  const at = (room: ProjectRoom, dialog: string) => addressOf.project(projectId, room, { new: dialog })
  return [
    { name: t.newKey, needs: 'users:issue', address: at('users', 'key') },
    { name: t.generateKeys, needs: 'users:issue', address: at('users', 'keys') },
    { name: t.importUsers, needs: 'users:bulk', address: at('users', 'import') },
    { name: t.exportUsers, needs: 'users:bulk', address: at('users', 'export') },
    { name: t.moreTime, needs: 'users:bulk', address: at('users', 'time') },
    {
      name: t.blacklisted,
      needs: 'users:read',
      address: addressOf.project(projectId, 'users', { status: 'blacklisted' }),
    },
    { name: t.newPlan, needs: 'projects:write', address: at('plans', 'plan') },
    { name: t.uploadScript, needs: 'scripts:write', address: at('scripts', 'script') },
    { name: t.newAdSystem, needs: 'ads:write', address: at('ads', 'system') },
    { name: t.addWebhook, needs: 'projects:write', address: at('webhooks', 'execution') },
  ]
}

function ofAccount(): readonly Action[] {
  const t = text.frame.paletteDo
  const asking = (address: string, dialog: string) => withQuery(address, { new: dialog })
  return [
    { name: t.newProject, needs: 'projects:write', address: asking(addressOf.projects, 'project') },
    { name: t.invite, needs: 'members:write', address: asking(addressOf.members, 'member') },
    { name: t.newToken, needs: 'tokens:write', address: asking(addressOf.tokens, 'token') },
  ]
}

function ofOperators(): readonly Action[] {
  const address = withQuery(addressOf.customers, { new: 'customer' })
  return [{ name: text.frame.paletteDo.newCustomer, needs: 'admin', address }]
}

/** The command palette: pages, projects, scripts, keys and frequent actions. */
import { v1ProjectScriptsList } from '@scriptward/sdk'
import { useQuery } from '@tanstack/react-query'
import { Command } from 'cmdk'
import { useEffect, useRef, useState } from 'react'
import { Dialog } from '../components/overlays/dialog.tsx'
import { addressOf, PROJECT_ROOMS } from '../lib/address.ts'
import { useMe } from '../lib/rights.ts'
import { text } from '../messages/text.ts'
import { useCall } from '../queries/api.ts'
import { useProjectId } from '../queries/projects.ts'
import { accountGroups } from './account-pages.ts'
import styles from './palette.module.css'
import { Actions } from './palette-actions.tsx'
import { type Closing, Item } from './palette-item.tsx'
import { Keys, rankOf, useFoundKeys, useSelected } from './palette-keys.tsx'
import { useProjects } from './project-switch.tsx'

export function Palette({ onClose }: Closing) {
  const [typed, setTyped] = useState('')
  const input = useRef<HTMLInputElement>(null)
  // Focuses the input. Otherwise, the dialog would focus its own container.
  useEffect(() => input.current?.focus(), [])
  const { users, isComing } = useFoundKeys(typed)
  const selected = useSelected(users)
  return (
    <Dialog title={text.frame.paletteTitle} onClose={onClose}>
      <Command {...selected} label={text.frame.paletteTitle} className={styles.palette} filter={rankOf} loop>
        <Command.Input ref={input} placeholder={text.frame.search} value={typed} onValueChange={setTyped} />
        <Command.List>
          <Command.Empty>{isComing ? text.frame.paletteSeeking : text.frame.paletteNothing}</Command.Empty>
          <Pages onClose={onClose} />
          <Actions onClose={onClose} />
          <Scripts onClose={onClose} />
          <Projects onClose={onClose} />
          <Keys users={users} onClose={onClose} />
        </Command.List>
      </Command>
    </Dialog>
  )
}

function Pages({ onClose }: Closing) {
  const projectId = useProjectId()
  const { scopes, account } = useMe()
  const ofProject =
    projectId === undefined
      ? []
      : PROJECT_ROOMS.map((room) => [room, text.frame[room], addressOf.project(projectId, room)] as const)
  const groups = accountGroups({ isOperator: scopes.includes('admin'), hasAccount: account !== null })
  const ofAccount = groups.flatMap(({ pages }) =>
    pages.map(({ icon, title, address }) => [icon, title, address] as const),
  )
  const pages = [...ofProject, ...ofAccount]
  return (
    <Command.Group heading={text.frame.palettePages}>
      {pages.map(([page, title, address]) => (
        <Item
          key={address}
          id={title}
          address={address}
          otherNames={text.frame.paletteOtherNames[page]}
          onClose={onClose}
        >
          {title}
        </Item>
      ))}
    </Command.Group>
  )
}

function Scripts({ onClose }: Closing) {
  const call = useCall()
  const projectId = useProjectId()
  const scripts = useQuery({
    queryKey: ['palette scripts', projectId],
    queryFn: async () =>
      (await v1ProjectScriptsList({ ...call, path: { project_id: projectId ?? '' }, query: { limit: 100 } }))
        .data.scripts,
    enabled: projectId !== undefined,
  })
  if (!scripts.data?.length || projectId === undefined) return null
  return (
    <Command.Group heading={text.frame.paletteScripts}>
      {scripts.data.map(({ id, name }) => (
        <Item key={id} id={`${name} ${id}`} address={addressOf.script(projectId, id)} onClose={onClose}>
          {name}
        </Item>
      ))}
    </Command.Group>
  )
}

function Projects({ onClose }: Closing) {
  const projects = useProjects()
  if (!projects.data?.length) return null
  return (
    <Command.Group heading={text.frame.paletteProjects}>
      {projects.data.map(({ id, name }) => (
        <Item key={id} id={`${name} ${id}`} address={addressOf.project(id)} onClose={onClose}>
          {name}
        </Item>
      ))}
    </Command.Group>
  )
}

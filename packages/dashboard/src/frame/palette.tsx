/** Search over everything: pages, projects, scripts and keys, and what is done most often. */
import { v1ProjectScriptsList } from '@scriptward/sdk'
import { useQuery } from '@tanstack/react-query'
import { Command } from 'cmdk'
import type { ReactNode } from 'react'
import { addressOf, PROJECT_ROOMS, useOpen } from '../address.ts'
import { useCall } from '../api.ts'
import { Dialog } from '../parts/dialog.tsx'
import { useProjectId } from '../projects.ts'
import { useMe } from '../rights.ts'
import { text } from '../text/text.ts'
import styles from './palette.module.css'
import { useProjects } from './project-switch.tsx'

export function Palette({ onClose }: { onClose: () => void }) {
  return (
    <Dialog title={text.frame.paletteTitle} onClose={onClose}>
      <Command label={text.frame.paletteTitle} className={styles.palette} loop>
        <Command.Input autoFocus placeholder={text.frame.search} />
        <Command.List>
          <Command.Empty>{text.frame.paletteNothing}</Command.Empty>
          <Pages onClose={onClose} />
          <Scripts onClose={onClose} />
          <Projects onClose={onClose} />
        </Command.List>
      </Command>
    </Dialog>
  )
}

type Closing = { readonly onClose: () => void }

function Item({
  id,
  address,
  onClose,
  children,
}: Closing & { id: string; address: string; children: ReactNode }) {
  const open = useOpen()
  const choose = () => {
    onClose()
    open(address)
  }
  return (
    <Command.Item value={id} onSelect={choose}>
      {children}
    </Command.Item>
  )
}

function Pages({ onClose }: Closing) {
  const projectId = useProjectId()
  const { scopes } = useMe()
  const ofProject =
    projectId === undefined
      ? []
      : PROJECT_ROOMS.map((room) => [text.frame[room], addressOf.project(projectId, room)] as const)
  const operators = scopes.includes('admin')
    ? (['customers', 'tiers', 'system'] as const).map((room) => [text.frame[room], addressOf[room]] as const)
    : []
  const pages = [
    ...ofProject,
    [text.frame.allProjects, addressOf.projects],
    [text.members, addressOf.members],
    [text.tokens, addressOf.tokens],
    [text.audit, addressOf.audit],
    [text.account, addressOf.account],
    [text.profile, addressOf.profile],
    ...operators,
  ] as const
  return (
    <Command.Group heading={text.frame.palettePages}>
      {pages.map(([title, address]) => (
        <Item key={address} id={title} address={address} onClose={onClose}>
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

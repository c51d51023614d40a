/** Shows the current project and lets the user switch to another one. */
import { v1ProjectsList } from '@scriptward/sdk'
import { useQuery } from '@tanstack/react-query'
import { Avatar } from '../components/avatar.tsx'
import { Menu, MenuLink } from '../components/overlays/menu.tsx'
import { addressOf } from '../lib/address.ts'
import { useRefusal } from '../lib/rights.ts'
import { text } from '../messages/text.ts'
import { useCall } from '../queries/api.ts'
import { Icon } from './icons.tsx'
import styles from './top-bar.module.css'

/** Maximum number of projects in the menu. The palette searches all of them. */
const SHOWN = 50

export function useProjects() {
  const call = useCall()
  const refusal = useRefusal('projects:read')
  return useQuery({
    queryKey: ['projects', 'newest', SHOWN],
    queryFn: async () =>
      (await v1ProjectsList({ ...call, query: { limit: SHOWN, order: 'newest' } })).data.projects,
    enabled: refusal === undefined,
    staleTime: 60_000,
  })
}

export function ProjectSwitch({ projectId }: { projectId: string | undefined }) {
  const projects = useProjects()
  const current = projects.data?.find(({ id }) => id === projectId)
  const shown = projectId === undefined ? text.frame.allProjects : (current?.name ?? projectId)
  return (
    <div className={styles.project}>
      <Menu
        label={`${text.frame.chooseProject}: ${shown}`}
        align="start"
        button={
          <>
            {projectId !== undefined && <Avatar id={projectId} />}
            <span>{shown}</span>
            <Icon name="choose" />
          </>
        }
      >
        {projects.data?.map(({ id, name }) => (
          <MenuLink key={id} href={addressOf.project(id)} isCurrent={id === projectId}>
            <Avatar id={id} />
            <span>{name}</span>
          </MenuLink>
        ))}
        <MenuLink href={addressOf.projects}>
          <Icon name="projects" />
          <span>{text.frame.allProjects}</span>
        </MenuLink>
      </Menu>
    </div>
  )
}

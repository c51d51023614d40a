/** The bar above the page: the project, the breadcrumb, the search and the theme. */
import { addressOf, type ProjectRoom } from '../lib/address.ts'
import { text } from '../messages/text.ts'
import { Icon } from './icons.tsx'
import { SearchButton } from './palette-button.tsx'
import { ProjectSwitch } from './project-switch.tsx'
import { ThemeSwitch } from './theme-switch.tsx'
import styles from './top-bar.module.css'

type Props = {
  readonly pathname: string
  /** Title of the page; undefined until it has loaded. */
  readonly title: string | undefined
  /** Opens the sidebar in narrow windows. */
  readonly onMenu: (() => void) | undefined
}

export function TopBar({ pathname, title, onMenu }: Props) {
  const [, area, projectId] = pathname.split('/')
  const isOfProject = area === 'projects'
  return (
    <header className={styles.bar}>
      {onMenu && (
        <button
          type="button"
          className={styles.icon}
          aria-label={text.menu}
          aria-haspopup="dialog"
          onClick={onMenu}
        >
          <Icon name="menu" />
        </button>
      )}
      {isOfProject && <ProjectSwitch projectId={projectId} />}
      <Breadcrumb pathname={pathname} title={title} isOfProject={isOfProject} />
      <SearchButton />
      <ThemeSwitch />
    </header>
  )
}

type Crumbs = { readonly pathname: string; readonly title: string | undefined; readonly isOfProject: boolean }

function Breadcrumb({ pathname, title, isOfProject }: Crumbs) {
  const place = isOfProject ? placeInProject(pathname) : placeInAccount(pathname)
  const look = isOfProject ? `${styles.crumbs} ${styles.inProject}` : styles.crumbs
  return (
    <nav className={look} aria-label={text.frame.breadcrumb}>
      <ol>
        {place !== undefined && (
          <li>{place.href === undefined ? place.name : <a href={place.href}>{place.name}</a>}</li>
        )}
        {title !== undefined && (
          <li>
            <span aria-current="page" title={title}>
              {title}
            </span>
          </li>
        )}
      </ol>
    </nav>
  )
}

/** Page groups have no URL of their own. */
type Place = { readonly name: string; readonly href?: string }

/** Returns the list that the page belongs to; undefined if the page is itself a list. */
function placeInProject(pathname: string): Place | undefined {
  const [, , id = '', room = '', entry = ''] = pathname.split('/')
  if (entry === '' || !Object.hasOwn(text.frame, room)) return undefined
  return { name: text.frame[room as ProjectRoom], href: addressOf.project(id, room as ProjectRoom) }
}

function placeInAccount(pathname: string): Place | undefined {
  if (pathname === addressOf.projects.slice(1)) return undefined
  return { name: pathname.startsWith('/operators/') ? text.frame.operatorsGroup : text.accountGroup }
}

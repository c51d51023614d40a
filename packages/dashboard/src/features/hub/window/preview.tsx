/** Shows the key window as customers will see it. */
import { v1ProjectsEdit } from '@scriptward/sdk'
import { useState } from 'react'
import { ErrorMessage } from '../../../components/error-message.tsx'
import { Segments } from '../../../components/fields/segments.tsx'
import { GuardedButton } from '../../../components/guarded.tsx'
import { QueryBoundary } from '../../../layout/error-pages.tsx'
import { text } from '../../../messages/text.ts'
import { useCall, useChange } from '../../../queries/api.ts'
import { useProject } from '../../../queries/projects.ts'
import { WindowPicture } from './picture.tsx'
import { type Language, useDrawing, useWindowCode } from './queries.ts'
import styles from './window.module.css'
import type { Drawn, State } from './window-worker.ts'

const SCREENS = { portrait: [360, 640], landscape: [640, 360], computer: [1280, 720] } as const
type Screen = keyof typeof SCREENS

const t = text.keyWindow
const entries = <Key extends string>(words: Readonly<Record<Key, string>>) =>
  Object.entries(words) as [Key, string][]

export function Preview({ options }: { options: string }) {
  const [screen, setScreen] = useState<Screen>('portrait')
  const [state, setState] = useState<State>('asking')
  const [language, setLanguage] = useState<Language>('en')
  const { allow_checks } = useProject()
  const code = useWindowCode(language)
  const viewport = SCREENS[screen]
  const drawn = useDrawing(
    code.data === undefined ? undefined : { code: code.data, options, state, viewport },
  )
  if (!allow_checks) return <ChecksAreOff />
  return (
    <div className={styles.preview}>
      <div className="bar">
        <Segments label={t.screen} options={entries(t.screens)} chosen={screen} onChoose={setScreen} />
        <Segments label={t.state} options={entries(t.states)} chosen={state} onChoose={setState} />
        <select
          aria-label={text.settings.previewIn}
          value={language}
          onChange={(event) => setLanguage(event.target.value as Language)}
        >
          {entries(text.settings.previewLanguages).map(([tag, name]) => (
            <option key={tag} value={tag}>
              {name}
            </option>
          ))}
        </select>
      </div>
      <QueryBoundary query={code}>{drawn && <Drawing drawn={drawn} screen={screen} />}</QueryBoundary>
    </div>
  )
}

function Drawing({ drawn, screen }: { drawn: Drawn; screen: Screen }) {
  if ('gui' in drawn) return <WindowPicture gui={drawn.gui} viewport={SCREENS[screen]} />
  return (
    <p className="notice warn" role="alert">
      {t.failed(drawn.problem)}
    </p>
  )
}

/** Shown if the project doesn't allow key checks, which the window requires. */
function ChecksAreOff() {
  const call = useCall()
  const { id } = useProject()
  const allow = useChange(() =>
    v1ProjectsEdit({ ...call, path: { project_id: id }, body: { allow_checks: true } }),
  )
  return (
    <div className="notice warn">
      <span>{t.checksOff}</span>
      <GuardedButton
        needs="projects:write"
        className="main"
        disabled={allow.isPending}
        onClick={() => allow.mutate(undefined)}
      >
        {t.allowChecks}
      </GuardedButton>
      <ErrorMessage of={allow.error} />
    </div>
  )
}

/** Translates an error reported by a customer to lines in the source, and shows these lines. */
import { type V1ScriptsTracebackResponse, v1ScriptsTraceback } from '@scriptward/sdk'
import { useMutation } from '@tanstack/react-query'
import { type FormEvent, useMemo, useState } from 'react'
import { CodeEditor } from '../../components/code/code-editor.tsx'
import type { Marker } from '../../components/code/code-mirror/props.ts'
import { Empty } from '../../components/empty.tsx'
import { ErrorMessage } from '../../components/error-message.tsx'
import { AreaField } from '../../components/fields/area-field.tsx'
import { Form } from '../../components/fields/form.tsx'
import { SelectField } from '../../components/fields/select-field.tsx'
import { useKept, useKeptState } from '../../components/fields/use-kept.ts'
import { GuardedButton } from '../../components/guarded.tsx'
import { Panel } from '../../components/panel.tsx'
import { QueryBoundary } from '../../layout/error-pages.tsx'
import { text } from '../../messages/text.ts'
import { errorsOfFields, useCall } from '../../queries/api.ts'
import { type Script, SOURCE, useUpload, useVersions } from './queries.ts'
import styles from './scripts.module.css'
import { filesOf } from './tree-files.ts'

type Found = V1ScriptsTracebackResponse
type Place = Found['places'][number]

/** Maximum length that the API accepts. */
const MAX_LENGTH = 1_000_000

/** `version` is the version of the error, by default the active one. */
export function useTraceback(script: Script, onFound = () => {}) {
  const call = useCall()
  return useMutation({
    mutationFn: async (body: { text: string; version?: number }) =>
      (await v1ScriptsTraceback({ ...call, path: { script_id: script.id }, body })).data,
    onSuccess: onFound,
  })
}

export function Errors({ script }: { script: Script }) {
  const kept = useKept('error-lookup', script.id)
  const [error, setError] = useKeptState(kept, 'error', '')
  const [version, setVersion] = useKeptState(kept, 'version', '')
  const [isChecked, setIsChecked] = useState(false)
  const traceback = useTraceback(script, () => kept.forget())
  const wrong = tracebackError(error)
  const send = (event: FormEvent) => {
    event.preventDefault()
    setIsChecked(true)
    if (wrong !== undefined || traceback.isPending) return
    const body = { text: error, ...(version !== '' && { version: Number(version) }) }
    traceback.mutate(body)
  }
  const refused = errorsOfFields(traceback.error).text
  return (
    <>
      <Panel title={text.scripts.errors} hint={text.scripts.errorsHint}>
        <Form kept={kept} onSubmit={send} noValidate>
          <AreaField
            label={text.scripts.errorText}
            hint={text.scripts.errorTextHint}
            value={error}
            onChange={setError}
            error={(isChecked ? wrong : undefined) ?? refused}
          />
          <VersionField script={script} value={version} onChange={setVersion} />
          {refused === undefined && <ErrorMessage of={traceback.error} />}
          <div className="bar end">
            <GuardedButton needs={SOURCE} type="submit" className="main" disabled={traceback.isPending}>
              {traceback.isPending ? text.scripts.findingLines : text.scripts.errorButton}
            </GuardedButton>
          </div>
        </Form>
      </Panel>
      {traceback.data && <Answer script={script} found={traceback.data} />}
    </>
  )
}

function tracebackError(error: string): string | undefined {
  if (error.trim() === '') return text.scripts.noError
  return error.length > MAX_LENGTH ? text.scripts.errorTooLong : undefined
}

type VersionProps = {
  readonly script: Script
  readonly value: string
  readonly onChange: (version: string) => void
}

function VersionField({ script, value, onChange }: VersionProps) {
  const { rows } = useVersions(script.id)
  const known = rows.map((one) => [String(one.version), text.scripts.versionOf(one.version)] as const)
  return (
    <SelectField
      label={text.scripts.errorVersion}
      options={[['', text.scripts.errorVersionUnknown], ...known]}
      value={value}
      onChange={(event) => onChange(event.target.value)}
    />
  )
}

function Answer({ script, found }: { script: Script; found: Found }) {
  if (!found.mapped)
    return (
      <p className="notice warn" role="status">
        {text.scripts.noLineMap(found.version)}
      </p>
    )
  if (found.places.length === 0)
    return (
      <div role="status">
        <Empty title={text.scripts.noPlaces} hint={text.scripts.noPlacesHint} />
      </div>
    )
  return <Places key={found.text} script={script} found={found} />
}

function Places({ script, found }: { script: Script; found: Found }) {
  const query = useUpload(script.id, found.version)
  const [place, setPlace] = useState(() => found.places.find(({ line }) => line !== null))
  const file = place?.file ?? null
  const markers = useMemo(
    () => found.places.filter((each) => each.file === file).flatMap(markerOf),
    [found, file],
  )
  const shown = useMemo(() => place && markerOf(place)[0], [place])
  const files = query.data && filesOf(query.data)
  return (
    <Panel
      title={text.scripts.linesFound(found.places.length)}
      hint={found.assumed ? text.scripts.assumedVersion(found.version) : undefined}
    >
      <div role="status">
        <ul className="rows">
          {found.places.map((place) => (
            <PlaceRow key={`${place.chunk} ${place.output_line}`} place={place} onShow={setPlace} />
          ))}
        </ul>
      </div>
      {found.truncated && <p className="hint">{text.scripts.morePlaces}</p>}
      <QueryBoundary query={query}>
        <CodeEditor
          label={text.scripts.sourceTitle(found.version)}
          value={(file === null ? query.data?.source : files?.get(file)) ?? ''}
          markers={markers}
          shown={shown}
        />
      </QueryBoundary>
      <h3>{text.scripts.errorInSource}</h3>
      <MappedText found={found} />
    </Panel>
  )
}

export function MappedText({ found }: { found: Found }) {
  return (
    <section aria-label={text.scripts.errorInSource}>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable region must be reachable with the keyboard. */}
      <pre className={`printed ${styles.console}`} tabIndex={0}>
        {found.text}
      </pre>
    </section>
  )
}

type RowProps = {
  readonly place: Place
  readonly onShow: (place: Place) => void
}

function PlaceRow({ place, onShow }: RowProps) {
  const [marker] = markerOf(place)
  return (
    <li>
      <div className="main-text">
        {marker === undefined ? (
          <span>{text.scripts.noLine(place.output_line)}</span>
        ) : (
          <span className="name">
            <button type="button" className="link" onClick={() => onShow({ ...place })}>
              {text.scripts.lineOf(marker.line)}
            </button>
            <code>{place.source}</code>
          </span>
        )}
        <span className="facts">
          <span>
            <bdi>{place.chunk}</bdi>:{place.output_line}
          </span>
          {place.file !== null && <bdi>{place.file}</bdi>}
          {place.function !== null && <span>{text.scripts.inFunction(place.function)}</span>}
        </span>
      </div>
    </li>
  )
}

function markerOf({ line, chunk, output_line }: Place): Marker[] {
  return line === null ? [] : [{ line, column: 1, message: `${chunk}:${output_line}` }]
}

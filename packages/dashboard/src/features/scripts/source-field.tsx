/** Field for a source that is dropped, chosen as a file, or typed. Marks errors at their position. */
import { type ChangeEvent, type DragEvent, useId, useState } from 'react'
import { CodeEditor } from '../../components/code/code-editor.tsx'
import type { Marker } from '../../components/code/code-mirror/props.ts'
import { Places } from '../../components/code/places.tsx'
import { entriesOf, filesIn } from '../../lib/read-dropped.ts'
import type { FoundFile } from '../../lib/read-files.ts'
import { readSource } from '../../lib/read-source.ts'
import { text } from '../../messages/text.ts'
import styles from './scripts.module.css'

type Props = {
  readonly label?: string
  readonly value: string
  readonly onChange: (source: string) => void
  /** Called with the name of the chosen file. */
  readonly onName?: (name: string) => void
  /** Whether folders or several files may be dropped. */
  readonly onFiles?: (found: readonly FoundFile[]) => Promise<void>
  readonly markers?: readonly Marker[]
  readonly error?: string | undefined
  readonly isLow?: boolean
}

export function SourceField({
  label = text.scripts.source,
  value,
  onChange,
  onName,
  onFiles,
  markers = [],
  error,
  isLow = false,
}: Props) {
  const [fileError, setFileError] = useState<string>()
  const [about, setAbout] = useState<string>()
  const [shown, setShown] = useState<Marker>()
  const take = async (file: File | undefined) => {
    if (file === undefined) return
    const read = await readSource(file)
    if ('error' in read) return setFileError(read.error)
    setFileError(undefined)
    setAbout(text.scripts.fromFile(read.name, read.size))
    onName?.(read.name)
    onChange(read.source)
  }
  const write = (source: string) => {
    setFileError(undefined)
    if (source === '') setAbout(undefined)
    onChange(source)
  }
  return (
    <div className="stack tight">
      <DropZone about={about} onFile={take} onFiles={onFiles} />
      {(fileError ?? error) !== undefined && (
        <p className="field-error" role="alert">
          {fileError ?? error}
        </p>
      )}
      <Places markers={markers} onShow={setShown} />
      <CodeEditor {...{ label, value, markers, shown, isLow }} onChange={write} />
      <p className="hint">{text.scripts.editorHint}</p>
    </div>
  )
}

type ZoneProps = {
  readonly about: string | undefined
  readonly onFile: (file: File | undefined) => void
  readonly onFiles: Props['onFiles']
}

function DropZone({ about, onFile, onFiles }: ZoneProps) {
  const id = useId()
  const [isOver, setIsOver] = useState(false)
  const choose = (event: ChangeEvent<HTMLInputElement>) => {
    onFile(event.target.files?.[0])
    // Lets the user choose the same file again after it has changed.
    event.target.value = ''
  }
  const drop = async (event: DragEvent) => {
    event.preventDefault()
    setIsOver(false)
    const entries = onFiles ? entriesOf(event.dataTransfer) : []
    if (entries.length > 1 || entries[0]?.isDirectory) await onFiles?.(await filesIn(entries))
    else onFile(event.dataTransfer.files[0])
  }
  const over = (event: DragEvent) => {
    event.preventDefault()
    setIsOver(true)
  }
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: dropping is an alternative to the file input.
    <div
      className={isOver ? `${styles.drop} ${styles.over}` : styles.drop}
      onDragOver={over}
      onDragLeave={() => setIsOver(false)}
      onDrop={drop}
    >
      <span>{onFiles ? text.scripts.dropFolder : text.scripts.drop}</span>
      <input
        id={id}
        type="file"
        accept=".lua,.luau,.txt"
        className="unseen"
        aria-label={text.scripts.fileLabel}
        onChange={choose}
      />
      <label htmlFor={id} className="button">
        {text.scripts.chooseFile}
      </label>
      {about !== undefined && (
        <span className="hint" role="status">
          <bdi>{about}</bdi>
        </span>
      )}
    </div>
  )
}

/** A labelled choice, with its explanation and its error, like {@link Field}. */
export function SelectField<Value extends string>({
  id,
  label,
  hint,
  error,
  value,
  options,
  disabled = false,
  onChange,
}: {
  id: string;
  label: string;
  hint?: string;
  error?: string | undefined;
  value: Value;
  options: readonly { value: Value; label: string }[];
  disabled?: boolean;
  onChange: (value: Value) => void;
}) {
  const described = [hint ? `${id}-hint` : "", error ? `${id}-error` : ""].filter(Boolean).join(" ");
  return (
    <div className="grid content-start gap-1">
      <label htmlFor={id} className="text-[0.9rem] font-medium">
        {label}
      </label>
      <select
        id={id}
        value={value}
        disabled={disabled}
        aria-invalid={error ? true : undefined}
        aria-describedby={described || undefined}
        onChange={(event) => {
          const chosen = options.find((option) => option.value === event.target.value);
          if (chosen) onChange(chosen.value);
        }}
        className={`h-9 min-w-0 rounded-md border bg-surface px-2 disabled:bg-sunken disabled:text-muted ${error ? "border-danger" : "border-rule-strong"}`}
      >
        {options.map((option) => (
          <option key={option.value} value={option.value}>
            {option.label}
          </option>
        ))}
      </select>
      {hint ? (
        <p id={`${id}-hint`} className="text-[0.83rem] text-faint">
          {hint}
        </p>
      ) : null}
      {error ? (
        <p id={`${id}-error`} role="alert" className="text-[0.87rem] text-danger" data-testid={`${id}-error`}>
          {error}
        </p>
      ) : null}
    </div>
  );
}

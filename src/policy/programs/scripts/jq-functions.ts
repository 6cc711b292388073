/** The functions of jq that reach nothing but their input: 1.5 to 1.8. */
const NAMES = `abs acos acosh add all any arrays ascii ascii_downcase ascii_upcase asin asinh atan atan2 atanh
  booleans bsearch builtins capture cbrt ceil combinations contains copysign cos cosh date dateadd datesub debug
  del delpaths drem empty endswith erf error exp exp10 exp2 explode expm1 fabs fdim finites first flatten floor fma
  fmax fmin fmod frexp from_entries fromdate fromdateiso8601 fromjson fromstream gamma getpath gmtime group_by
  gsub halt halt_error has have_decnum have_literal_numbers hypot implode in index indices infinite input
  input_filename input_line_number inputs inside isempty isinfinite isnan isnormal isvalid iterables j0 j1 jn join
  keys keys_unsorted last ldexp leaf_paths length lgamma lgamma_r limit localtime log log10 log1p log2 logb ltrim
  ltrimstr map map_values match max max_by min min_by mktime modf nan nearbyint nextafter nexttoward normals not
  now nth nulls numbers objects path paths pick pow pow10 range recurse recurse_down remainder repeat reverse
  rindex rint round rtrim rtrimstr scalars scalars_or_empty scalb scalbln scan select setpath significand sin sinh
  skip sort sort_by split splits sqrt startswith strflocaltime strftime strings strptime sub tan tanh test tgamma
  to_entries toarray toboolean todate todateiso8601 tojson tonumber tostream tostring transpose trim trimstr trunc
  truncate_stream type unique unique_by until utf8bytelength values walk while with_entries y0 y1 yn
  IN INDEX GROUP_BY UNIQUE_BY limit getpath ltrimstr tojson ascii error null true false`;

const KEYWORDS = "and or not if then elif else end as def reduce foreach try catch label break";

export const JQ_NAMES: ReadonlySet<string> = new Set(`${NAMES} ${KEYWORDS}`.split(/\s+/));

export const JQ_FORMATS: ReadonlySet<string> = new Set(
  "@text @json @csv @tsv @html @uri @urid @sh @base64 @base64d @base32 @base32d".split(" "),
);

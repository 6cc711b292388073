/** The modules and attributes of Python programs that only look at data. Closed lists: see read-python.ts. */

const words = (...lines: readonly string[]): ReadonlySet<string> => new Set(lines.join(" ").split(" "));

/** Modules of which no attribute in the list below writes, sends, starts or opens anything. */
export const MODULES: ReadonlySet<string> = words(
  "json re sys math csv ast collections itertools functools datetime statistics textwrap pprint string decimal",
  "fractions hashlib base64 difflib time calendar html unicodedata tomllib binascii struct bisect heapq random",
  "numpy pandas polars torch sklearn scipy yaml",
);

/**
 * Not in it, on purpose: `apply`, `agg`, `pipe`, `query` and `eval` of pandas, which take names of functions as text;
 * `path` and `modules` of sys; everything that opens, saves or loads, but for `load` and `dump` of json and ast.
 */
export const ATTRIBUTES: ReadonlySet<string> = words(
  // Text, lists, dictionaries and sets.
  "strip lstrip rstrip split rsplit splitlines join replace startswith endswith lower upper title capitalize zfill",
  "ljust rjust center find rfind index count encode decode isdigit isalpha isspace items keys values get",
  "setdefault pop append extend sort reverse copy add update union intersection difference discard insert clear",
  "read readline readlines close write flush hex",
  // Modules of Python.
  "loads load dumps JSONDecodeError search match fullmatch findall finditer sub compile escape group groups groupdict",
  "start end span MULTILINE DOTALL IGNORECASE VERBOSE M S I X stdin stdout stderr buffer argv version version_info",
  "maxsize platform executable byteorder reader DictReader fieldnames parse dump walk literal_eval body name lineno",
  "FunctionDef ClassDef Import ImportFrom Call Counter defaultdict OrderedDict deque most_common chain groupby islice",
  "product permutations combinations accumulate zip_longest count repeat reduce lru_cache datetime timedelta date now",
  "today strftime strptime isoformat fromisoformat timestamp utcnow timezone utc year month day hour minute second",
  "total_seconds days weekday mean median stdev mode variance dedent indent fill shorten pprint pformat digits",
  "ascii_letters Decimal Fraction quantize sha256 sha1 md5 hexdigest digest b64encode b64decode unified_diff ndiff",
  "time sleep perf_counter monotonic monthrange unescape normalize unpack calcsize hexlify unhexlify bisect_left",
  "nlargest nsmallest choice randint seed sample sqrt pi e log log2 log10 exp floor ceil pow isclose isnan gcd hypot",
  "sin cos tan inf nan safe_load",
  // Tables and arrays.
  "head tail describe info shape columns dtypes dtype index values isna isnull notna sum min max std var corr cov nunique",
  "unique value_counts sort_values sort_index groupby size merge concat drop dropna fillna rename reset_index set_index",
  "iloc loc iterrows itertuples astype dt str T nlargest nsmallest quantile cumsum diff shift rolling pivot_table",
  "crosstab DataFrame Series to_datetime to_numeric date_range between isin duplicated drop_duplicates idxmax idxmin abs",
  "round clip any all tolist to_list to_dict contains set_option empty ndim memory_usage sample melt explode",
  "array arange linspace zeros ones reshape ravel flatten transpose dot allclose argmax argmin argsort percentile where",
  "float32 float64 int32 int64 cuda is_available device_count get_device_name tensor",
);

/* SPDX-License-Identifier: MIT */
/*
 * The host's half of ascendc/host_api/tiling/template_argument.h: GET_TPL_TILING_KEY(arguments...) is the tiling key of the kernel
 * with these arguments. A UINT has its place among its declared values in the key, all others their value; the first parameter has
 * the lowest bits.
 */
#ifndef ASCENDC_HOST_TEMPLATE_KEY_H
#define ASCENDC_HOST_TEMPLATE_KEY_H

#include <algorithm>
#include <cstdio>
#include <string>
#include <vector>

/* A parameter, or what a selection says of one; kinds that no template has are empty */
struct ParamStruct {
	std::string name;
	uint32_t kind = 0;
	uint8_t bits = 0;
	std::vector<uint64_t> values;
	bool counts = false;
};
using TilingDeclareParams = std::vector<ParamStruct>;
using TilingSelectParams = std::vector<std::vector<ParamStruct>>;

namespace anpu_template {
namespace detail {

constexpr uint64_t no_key = ~uint64_t(0);

/* A place of a tensor in the kernel's parameters, which is not one of the values */
struct place {
	uint64_t number;
};

/* The values of a UINT: pairs of first and last, single values, or a number of pairs, these, and single values */
inline std::vector<uint64_t> spread(const std::vector<uint64_t> &text)
{
	uint64_t how = text.empty() ? ASCENDC_TPL_UI_LIST : text[0];
	size_t at = how == ASCENDC_TPL_UI_LIST ? 1 : 2;
	size_t pairs = how == ASCENDC_TPL_UI_LIST || text.size() < 2 ? 0 : text[1];
	std::vector<uint64_t> all;

	for (; pairs && at + 1 < text.size(); pairs--, at += 2)
		for (uint64_t v = text[at]; v <= text[at + 1]; v++)
			all.push_back(v);
	for (; at < text.size(); at++)
		all.push_back(text[at]);
	return all;
}

inline void add(std::vector<uint64_t> &, place) {}
template <class T> void add(std::vector<uint64_t> &values, T value)
{
	values.push_back(static_cast<uint64_t>(value));
}

template <class... T> ParamStruct parameter(const char *name, uint32_t kind, uint8_t bits, T... values)
{
	ParamStruct made = {name, kind, bits, {}, true};

	(add(made.values, values), ...);
	if (kind == ASCENDC_TPL_UINT)
		made.values = spread(made.values);
	return made;
}

/*
 * The template that this source file declares; each file has at most one operator with a template. All of this is the file's own, since
 * several files of a program declare different operators.
 */
struct lists_t {
	std::string op;
	TilingDeclareParams declared;
	TilingSelectParams selected;
};

namespace {

inline lists_t &lists()
{
	static lists_t all;

	return all;
}

[[maybe_unused]] inline bool declare(const char *op, TilingDeclareParams params)
{
	lists().op = op;
	lists().declared = params;
	lists().declared.erase(std::remove_if(lists().declared.begin(), lists().declared.end(),
					      [](const ParamStruct &p) { return !p.counts; }), lists().declared.end());
	return true;
}

[[maybe_unused]] inline bool select(TilingSelectParams params)
{
	lists().selected = params;
	return true;
}

/* Whether one of the selections has the combination; a parameter that a selection leaves out may have any declared value */
inline bool exists(const std::vector<uint64_t> &values)
{
	for (const auto &one : lists().selected) {
		bool all = true;

		for (size_t i = 0; i < values.size(); i++)
			for (const ParamStruct &p : one)
				if (p.counts && p.name == lists().declared[i].name)
					all &= std::count(p.values.begin(), p.values.end(), values[i]) > 0;
		if (all)
			return true;
	}
	return lists().selected.empty();
}

inline std::string words(const std::vector<uint64_t> &values)
{
	std::string text;

	for (uint64_t v : values)
		text += (text.empty() ? "" : ", ") + std::to_string(v);
	return text;
}

inline uint64_t key_of(const std::vector<uint64_t> &values)
{
	const TilingDeclareParams &declared = lists().declared;
	uint64_t key = 0;
	uint32_t shift = 0;

	if (values.size() != declared.size()) {
		fprintf(stderr, "GET_TPL_TILING_KEY: operator '%s' declares %zu parameters of its template, %zu are given\n",
			lists().op.c_str(), declared.size(), values.size());
		return no_key;
	}
	for (size_t i = 0; i < values.size(); i++) {
		const ParamStruct &p = declared[i];
		auto found = std::find(p.values.begin(), p.values.end(), values[i]);
		uint64_t part = p.kind == ASCENDC_TPL_UINT ? found - p.values.begin() : values[i];

		if (found == p.values.end() || shift + p.bits > 64 || part >> p.bits) {
			fprintf(stderr, "GET_TPL_TILING_KEY: operator '%s': parameter '%s' cannot be %llu; it is declared with %u bits of "
				"the key and the values %s\n", lists().op.c_str(), p.name.c_str(),
				static_cast<unsigned long long>(values[i]), p.bits, words(p.values).c_str());
			return no_key;
		}
		key |= part << shift;
		shift += p.bits;
	}
	if (!exists(values)) {
		fprintf(stderr, "GET_TPL_TILING_KEY: operator '%s' has no selection (ASCENDC_TPL_ARGS_SEL) with the values %s\n",
			lists().op.c_str(), words(values).c_str());
		return no_key;
	}
	return key;
}

template <class... T> [[maybe_unused]] uint64_t key(T... values)
{
	return key_of({static_cast<uint64_t>(values)...});
}

/* GET_TPL_TILING_KEY({a, b}) is the same as GET_TPL_TILING_KEY(a, b). */
[[maybe_unused]] inline uint64_t key(std::initializer_list<uint64_t> values)
{
	return key_of(values);
}

} // namespace

} // namespace detail
} // namespace anpu_template

#define ASCENDC_TPL_ARGS_DECL(op, ...) \
	[[maybe_unused]] static const bool anpu_tpl_declared = anpu_template::detail::declare(#op, TilingDeclareParams{__VA_ARGS__})
#define ASCENDC_TPL_SEL(...) \
	[[maybe_unused]] static const bool anpu_tpl_selected = anpu_template::detail::select(TilingSelectParams{__VA_ARGS__})
#define ASCENDC_TPL_ARGS_SEL(...)		std::vector<ParamStruct>{__VA_ARGS__}
#define ASCENDC_TPL_DTYPE_DECL(x, ...)		anpu_template::detail::parameter(#x, ASCENDC_TPL_DTYPE, 8, __VA_ARGS__)
#define ASCENDC_TPL_DATATYPE_DECL(x, ...)	anpu_template::detail::parameter(#x, ASCENDC_TPL_DTYPE, 8, __VA_ARGS__)
#define ASCENDC_TPL_FORMAT_DECL(x, ...)		anpu_template::detail::parameter(#x, ASCENDC_TPL_FORMAT, 8, __VA_ARGS__)
#define ASCENDC_TPL_UINT_DECL(x, bits, ...)	anpu_template::detail::parameter(#x, ASCENDC_TPL_UINT, bits, __VA_ARGS__)
#define ASCENDC_TPL_BOOL_DECL(x, ...)		anpu_template::detail::parameter(#x, ASCENDC_TPL_BOOL, 1, __VA_ARGS__)
#define ASCENDC_TPL_DTYPE_SEL(x, ...)		anpu_template::detail::parameter(#x, ASCENDC_TPL_DTYPE, 8, __VA_ARGS__)
#define ASCENDC_TPL_DATATYPE_SEL(x, ...)	anpu_template::detail::parameter(#x, ASCENDC_TPL_DTYPE, 8, __VA_ARGS__)
#define ASCENDC_TPL_FORMAT_SEL(x, ...)		anpu_template::detail::parameter(#x, ASCENDC_TPL_FORMAT, 8, __VA_ARGS__)
#define ASCENDC_TPL_UINT_SEL(x, ...)		anpu_template::detail::parameter(#x, ASCENDC_TPL_UINT, 0, __VA_ARGS__)
#define ASCENDC_TPL_BOOL_SEL(x, ...)		anpu_template::detail::parameter(#x, ASCENDC_TPL_BOOL, 1, __VA_ARGS__)
/* The parts of a selection that are about the kernel itself are for anpucc. */
#define ASCENDC_TPL_KERNEL_TYPE_SEL(...)	ParamStruct()
#define ASCENDC_TPL_DETERMINISTIC_SEL(...)	ParamStruct()
#define ASCENDC_TPL_TILING_STRUCT_SEL(...)	ParamStruct()
#define ASCENDC_TPL_INPUT(n)			anpu_template::detail::place{n}
#define ASCENDC_TPL_OUTPUT(n)			anpu_template::detail::place{n}

#define GET_TPL_TILING_KEY(...)			anpu_template::detail::key(__VA_ARGS__)
#define ASCENDC_TPL_SEL_PARAM(context, ...)	(context)->SetTilingKey(GET_TPL_TILING_KEY(__VA_ARGS__))

#endif

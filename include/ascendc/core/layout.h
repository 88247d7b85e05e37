/* SPDX-License-Identifier: MIT */
/* Shapes, strides and coordinates of any depth, and the places in memory that they mean. */
#ifndef ASCENDC_CORE_LAYOUT_H
#define ASCENDC_CORE_LAYOUT_H

#include "enums.h"

namespace AscendC {

namespace Std {
template <size_t value> using Int = integral_constant<size_t, value>;
} // namespace Std

template <class... T> using Shape = Std::tuple<T...>;
template <class... T> using Stride = Std::tuple<T...>;
template <class... T> using Coord = Std::tuple<T...>;

template <class... T> ASCENDC_FN constexpr auto MakeShape(const T &...sizes)
{
	return Shape<T...>(sizes...);
}

template <class... T> ASCENDC_FN constexpr auto MakeStride(const T &...steps)
{
	return Stride<T...>(steps...);
}

template <class... T> ASCENDC_FN constexpr auto MakeCoord(const T &...places)
{
	return Coord<T...>(places...);
}

template <class ShapeType, class StrideType> struct Layout;

namespace detail {

template <class T> inline constexpr bool is_tuple = false;
template <class... T> inline constexpr bool is_tuple<std::tuple<T...>> = true;

/* The number of elements of a shape */
template <class S> ASCENDC_FN constexpr auto extent(const S &shape)
{
	if constexpr (is_tuple<S>)
		return std::apply([](const auto &...d) { return (size_t(1) * ... * extent(d)); }, shape);
	else
		return size_t(shape);
}

template <size_t i, class S, class D> ASCENDC_FN constexpr size_t index_of_number(size_t c, const S &shape, const D &stride);

/* A place, as coordinates of the same depth as the shape, or of fewer: a number counts the elements of a part, the first dimension first */
template <class C, class S, class D> ASCENDC_FN constexpr size_t index_of(const C &coord, const S &shape, const D &stride);

template <class C, class S, class D, size_t... i>
ASCENDC_FN constexpr size_t index_of_all(const C &coord, const S &shape, const D &stride, std::index_sequence<i...>)
{
	return (size_t(0) + ... + index_of(std::get<i>(coord), std::get<i>(shape), std::get<i>(stride)));
}

template <class C, class S, class D> ASCENDC_FN constexpr size_t index_of(const C &coord, const S &shape, const D &stride)
{
	static_assert(is_tuple<S> == is_tuple<D>, "AscendC::Crd2Idx: shape and stride have the same structure");
	if constexpr (is_tuple<C>) {
		static_assert(is_tuple<S>, "AscendC::Crd2Idx: the coordinate has more levels than the shape");
		static_assert(std::tuple_size_v<C> == std::tuple_size_v<S> && std::tuple_size_v<C> == std::tuple_size_v<D>,
			      "AscendC::Crd2Idx: coordinate, shape and stride have as many dimensions");
		return index_of_all(coord, shape, stride, std::make_index_sequence<std::tuple_size_v<C>>());
	} else if constexpr (is_tuple<S>) {
		static_assert(std::tuple_size_v<S> == std::tuple_size_v<D>, "AscendC::Crd2Idx: shape and stride have the same structure");
		return index_of_number<0>(size_t(coord), shape, stride);
	} else {
		return size_t(coord) * size_t(stride);
	}
}

template <size_t i, class S, class D> ASCENDC_FN constexpr size_t index_of_number(size_t c, const S &shape, const D &stride)
{
	if constexpr (std::tuple_size_v<S> == 0) {
		return 0;
	} else if constexpr (i + 1 == std::tuple_size_v<S>) {
		return index_of(c, std::get<i>(shape), std::get<i>(stride));
	} else {
		size_t n = extent(std::get<i>(shape));

		return index_of(c % n, std::get<i>(shape), std::get<i>(stride)) + index_of_number<i + 1>(c / n, shape, stride);
	}
}

} // namespace detail

/** Crd2Idx() - the number of the element at a coordinate: the sum of its parts times their strides */
template <class CoordType, class ShapeType, class StrideType>
ASCENDC_FN constexpr auto Crd2Idx(const CoordType &coord, const ShapeType &shape, const StrideType &stride)
{
	return detail::index_of(coord, shape, stride);
}

template <class CoordType, class ShapeType, class StrideType>
ASCENDC_FN constexpr auto Crd2Idx(const CoordType &coord, const Layout<ShapeType, StrideType> &layout)
{
	return detail::index_of(coord, layout.GetShape(), layout.GetStride());
}

/** struct Layout - a shape with the distance of neighbours in each of its dimensions, in elements */
template <class ShapeType, class StrideType> struct Layout {
	ASCENDC_FN constexpr Layout(const ShapeType &shape = {}, const StrideType &stride = {}) : shape_(shape), stride_(stride) {}

	ASCENDC_FN constexpr decltype(auto) layout() { return *this; }
	ASCENDC_FN constexpr decltype(auto) layout() const { return *this; }
	ASCENDC_FN constexpr decltype(auto) GetShape() const { return (shape_); }
	ASCENDC_FN constexpr decltype(auto) GetStride() const { return (stride_); }

	template <class CoordType> ASCENDC_FN constexpr auto operator()(const CoordType &coord) const
	{
		return Crd2Idx(coord, *this);
	}

private:
	ShapeType shape_;
	StrideType stride_;
};

template <class T> struct is_layout : Std::false_type {};
template <class S, class D> struct is_layout<Layout<S, D>> : Std::true_type {};
template <class T> inline constexpr bool is_layout_v = is_layout<T>::value;

/**
 * TensorTrait - the type of elements of a tensor whose layout its user knows. Tensors here carry no layout: one of TensorTrait<half, ...> is
 * one of half, which all functions take, and what would read its layout does not compile.
 */
template <class T, TPosition pos = TPosition::MAX, class LayoutType = Layout<Shape<>, Stride<>>> using TensorTrait = T;

/** struct TensorTraitObject - of MakeTensorTrait(): type of elements, position and layout in one */
template <class T, TPosition pos, class LayoutType> struct TensorTraitObject {
	using LiteType = T;
	using LiteLayoutType = LayoutType;
	static constexpr TPosition tPos = pos;

	ASCENDC_FN constexpr TensorTraitObject(const LayoutType &layout = {}) : layout_(layout) {}

	ASCENDC_FN constexpr LayoutType &GetLayout() { return layout_; }
	ASCENDC_FN constexpr const LayoutType &GetLayout() const { return layout_; }
	ASCENDC_FN constexpr void SetLayout(const LayoutType &layout) { layout_ = layout; }

private:
	LayoutType layout_;
};

template <class T, TPosition pos, class LayoutType> ASCENDC_FN constexpr auto MakeTensorTrait(const LayoutType &layout)
{
	static_assert(is_layout_v<LayoutType>, "AscendC::MakeTensorTrait takes a layout of MakeLayout()");
	return TensorTraitObject<T, pos, LayoutType>(layout);
}

template <class ShapeType, class StrideType>
ASCENDC_FN constexpr auto MakeLayout(const ShapeType &shape, const StrideType &stride)
{
	return Layout<ShapeType, StrideType>(shape, stride);
}

} // namespace AscendC

#endif
